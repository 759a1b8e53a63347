import { execFile } from 'node:child_process';
import { join } from 'node:path';

export interface TypeCheckOptions {
  /** Root folder of the repository. */
  readonly root: string;
  readonly log: (line: string) => void;
  /** Runs the compiler, and returns what it says: nothing if there are no errors. */
  readonly compile?: (folders: readonly string[]) => Promise<string>;
}

/**
 * Compiles changed packages while the services run, one run at a time, and prints the errors.
 * Errors stop nothing: services run from their sources.
 */
export class TypeCheck {
  private readonly changed = new Set<string>();
  private running: Promise<void> | undefined;

  constructor(private readonly options: TypeCheckOptions) {}

  /** Folders that changed during a run are compiled after it. */
  check(folders: readonly string[]): Promise<void> {
    for (const folder of folders) this.changed.add(folder);
    this.running ??= this.compileAll().finally(() => {
      this.running = undefined;
    });
    return this.running;
  }

  private async compileAll(): Promise<void> {
    const { root, log, compile = (folders) => compiler(root, folders) } = this.options;
    while (this.changed.size > 0) {
      const folders = [...this.changed];
      this.changed.clear();
      const errors = (await compile(folders)).trim();
      log(errors === '' ? 'No type errors' : `Type errors:\n${errors}`);
    }
  }
}

function compiler(root: string, folders: readonly string[]): Promise<string> {
  const tsc = join(root, 'node_modules/typescript-native/bin/tsc');
  return new Promise((resolve) => {
    execFile(process.execPath, [tsc, '-b', ...folders], { cwd: root }, (error, stdout, stderr) => {
      const said = stdout + stderr;
      resolve(error !== null && said === '' ? error.message : said);
    });
  });
}
