// Selects what `npm test -- <file or name>` runs.
import { readFileSync } from 'node:fs';

/**
 * Test files whose path contains one of the arguments. An argument that no path contains is the
 * name of a test: it selects the files that contain it, and `name` limits the run to the tests of
 * that name. Returns undefined if an argument selects nothing.
 */
export function selectTests(wanted, files) {
  const paths = wanted.filter((text) => files.some((file) => file.includes(text)));
  const [name, ...moreNames] = wanted.filter((text) => !paths.includes(text));
  if (moreNames.length > 0) return undefined;
  const inPath = files.filter((file) => paths.some((text) => file.includes(text)));
  if (name === undefined) return { files: inPath, isUnit: inPath.every(isUnitTest) };
  const candidates = paths.length > 0 ? inPath : files;
  const named = candidates.filter((file) => readFileSync(file, 'utf8').includes(name));
  if (named.length === 0) return undefined;
  return { files: named, name, isUnit: named.every(isUnitTest) };
}

/** Unit tests need neither a build nor a database. */
function isUnitTest(file) {
  return !file.endsWith('.integration.test.ts') && !file.startsWith('test/');
}

/** The pattern of exactly this name, for jest. */
export function patternOf(name) {
  return name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
