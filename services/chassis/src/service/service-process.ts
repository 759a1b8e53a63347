import { createLogger } from '../telemetry/logging';
import { runCommand, runProcess } from './process';
import type { RunningService, ServiceOverrides } from './service';

type Start = (overrides: ServiceOverrides) => Promise<RunningService>;

/**
 * Runs the process of a service. With the argument `--indexes` it serves nothing: it builds missing
 * indexes on collections of any size, and ends.
 */
export function runService(name: string, start: Start): void {
  if (process.argv.includes('--indexes')) runCommand(name, () => buildIndexes(name, start));
  else runProcess(name, () => start({}));
}

async function buildIndexes(name: string, start: Start): Promise<string> {
  let count = 0;
  const running = await start({
    logger: createLogger({ service: name, level: 'silent' }),
    buildsIndexes: (line) => {
      count += 1;
      process.stderr.write(`${name}: ${line}\n`);
    },
  });
  await running.stop();
  return `${name}: all indexes ${count === 0 ? 'exist' : 'are built'}`;
}
