/** Reports the numbers of passed and failed tests to the process that started jest. */
class ClosingLine {
  onTestResult(_test, _result, results) {
    report(results);
  }

  onRunComplete(_contexts, results) {
    report(results);
  }
}

function report({ numPassedTests, numFailedTests, numRuntimeErrorTestSuites }) {
  process.send?.({ passed: numPassedTests, failed: numFailedTests + numRuntimeErrorTestSuites });
}

module.exports = ClosingLine;
