/** Reports the numbers of passed and failed tests to the process that started jest. */
class ClosingLine {
  onRunComplete(_contexts, results) {
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    process.send?.({ passed: results.numPassedTests, failed });
  }
}

module.exports = ClosingLine;
