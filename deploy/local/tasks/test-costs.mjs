// What the tests of a run cost.

/**
 * A table of suites with their tests, the seconds of workers and the processor seconds that they
 * took, and those of the databases that they share; longest first.
 */
export function costTable(files) {
  const suites = new Map();
  for (const { path, ...costs } of files) {
    const name = suiteOf(path);
    const known = suites.get(name) ?? { tests: 0, seconds: 0, processorSeconds: 0 };
    suites.set(name, {
      tests: known.tests + costs.tests,
      seconds: known.seconds + costs.seconds,
      processorSeconds: known.processorSeconds + costs.processorSeconds,
    });
  }
  const rows = [...suites].toSorted(([, a], [, b]) => b.seconds - a.seconds);
  const cells = rows.map(([name, { tests, seconds, processorSeconds }]) => [
    name,
    String(tests),
    seconds.toFixed(0),
    processorSeconds.toFixed(0),
  ]);
  return table([['suite', 'tests', 'seconds', 'CPU seconds'], ...cells]);
}

/** The folder below `test`, or the package; a path without folders is its own suite. */
function suiteOf(path) {
  const [first, second] = path.split('/');
  const isOne = second === undefined || (first === 'gateway' && second === 'src');
  return isOne ? first : `${first}/${second}`;
}

function table(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  const line = ([name, ...numbers]) =>
    [name.padEnd(widths[0]), ...numbers.map((cell, at) => cell.padStart(widths[at + 1]))].join(
      '  ',
    );
  return rows.map(line).join('\n');
}
