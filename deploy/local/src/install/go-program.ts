import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { findProgram, runCommand } from '../process/command';
import type { LauncherEnvironment } from '../environment/launcher-environment';
import { installOnce } from './installation';

export interface GoProgram {
  name: string;
  version: string;
  /** Package to build; `go` verifies it against Go's checksum database. */
  module: string;
}

const BUILD_TIMEOUT_MS = 15 * 60_000;

/** Builds a program of a public Go module into the cache and returns its path. */
export async function installGoProgram(
  { name, version, module }: GoProgram,
  environment: LauncherEnvironment,
  log: (line: string) => void,
): Promise<string> {
  const folder = await installOnce({
    cacheDir: environment.cacheDir,
    name: `${name}-${version}-${process.platform}-${process.arch}`,
    log,
    install: async (stage) => {
      const go = await findProgram('go', environment.path);
      if (go === undefined) throw new Error(`go is not on the PATH (it builds ${name})`);
      log(`Building ${name} ${version} with go install, about a minute the first time`);
      await runCommand({
        program: go,
        args: ['install', `${module}@${version}`],
        env: { ...environment.all, GOBIN: stage },
        // Outside any module, so that no go.mod applies.
        cwd: '/',
        timeoutMs: BUILD_TIMEOUT_MS,
      });
      await chmod(join(stage, name), 0o755);
    },
  });
  return join(folder, name);
}
