import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(__dirname, '../..', 'deploy', 'images');

/** One instruction of the Dockerfile, continuation lines joined. */
interface Instruction {
  readonly name: string;
  readonly text: string;
}

/** Parses the Dockerfile, so that tests do the same as the build. */
export function imageRecipe(): Instruction[] {
  return lines(read('Dockerfile').replaceAll('\\\n', ' ')).map((line) => {
    const [, name, text] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? [];
    if (name === undefined || text === undefined) throw new Error(`No instruction: ${line}`);
    return { name, text };
  });
}

/** The services with an image in the bake file. */
export function bakedServices(): string[] {
  const [, list = ''] = /^ {4}service = \[([^\]]*)\]/m.exec(read('bake.hcl')) ?? [];
  return Array.from(list.matchAll(/"([^"]+)"/g), ([, name = '']) => name);
}

/**
 * True if a file of the repository is excluded from the build context; the last pattern that
 * matches it or a folder above it decides.
 */
export function isExcluded(path: string): boolean {
  const segments = path.split('/');
  const above = segments.map((_segment, index) => segments.slice(0, index + 1).join('/'));
  return lines(read('Dockerfile.dockerignore')).reduce((isOut, pattern) => {
    const expression = expressionOf(pattern.replace(/^!/, ''));
    return above.some((one) => expression.test(one)) ? !pattern.startsWith('!') : isOut;
  }, false);
}

function expressionOf(pattern: string): RegExp {
  const source = pattern
    .replaceAll('.', '\\.')
    .replaceAll('**/', '(?:.+/)?')
    .replaceAll(/(?<![.)])\*/g, '[^/]*');
  return new RegExp(`^${source}$`);
}

function lines(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
}

function read(name: string): string {
  return readFileSync(join(folder, name), 'utf8');
}
