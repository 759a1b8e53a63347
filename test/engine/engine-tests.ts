import { lackForEngine } from './engine';

const lack = lackForEngine();
// `npm run test:engine` fails where the other commands name what is missing.
const isRequired = process.env.ENGINE_REQUIRED === 'true';

/** Tests with an engine. Where the machine has none of what it needs, the name says so. */
export function describeWithEngine(name: string, tests: () => void): void {
  if (lack === undefined || isRequired) describe(name, tests);
  else describe.skip(`${name} (not run here: needs ${lack})`, tests);
}
