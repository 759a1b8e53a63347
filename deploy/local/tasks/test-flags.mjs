// Flags of the test commands that are not jest's.
import { availableParallelism } from 'node:os';
import { fail, WRONG_USAGE } from './program.mjs';

/**
 * Reads `--workers N` and `--part n/m`, also written with an equals sign; `others` are the remaining
 * arguments. Ends the process for any other value.
 */
export function readTestFlags(args) {
  const flags = { workers: defaultWorkers(), part: undefined };
  const others = [];
  for (let index = 0; index < args.length; index += 1) {
    const [, name, inline] = /^--(workers|part)(?:=(.*))?$/.exec(args[index]) ?? [];
    if (name === undefined) others.push(args[index]);
    else flags[name] = readers[name](inline ?? args[(index += 1)] ?? '');
  }
  return { ...flags, others };
}

const readers = {
  workers: (text) => (/^[1-9]\d{0,2}$/.test(text) ? Number(text) : refuse('--workers', text)),
  part: (text) => {
    const [, part, parts] = /^(\d{1,2})\/(\d{1,2})$/.exec(text) ?? [];
    const isOne = Number(part) >= 1 && Number(part) <= Number(parts);
    return isOne ? text : refuse('--part', text);
  },
};

function refuse(flag, text) {
  const example = flag === '--part' ? '2/4' : '2';
  return fail(`${flag} is ${JSON.stringify(text)}; use ${flag} ${example}`, WRONG_USAGE);
}

/** More workers than cores, because tests wait for their systems. */
function defaultWorkers() {
  return Math.max(3, Math.ceil(1.5 * availableParallelism()));
}
