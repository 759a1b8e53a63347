const { writeSync } = require('node:fs');

/**
 * Prints `N passed, N failed` as the very last line, after the teardown. Failed checks of before the
 * tests are counted in. The process that started jest gets a message once the line is printed.
 */
class ClosingLine {
  onRunComplete(_contexts, results) {
    const checksFailed = Number(process.env.FAILED_CHECKS ?? 0);
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites + checksFailed;
    const line = `${results.numPassedTests} passed, ${failed} failed`;
    process.send?.('closing line');
    process.once('exit', () => writeSync(1, `${line}\n`));
  }
}

module.exports = ClosingLine;
