const { relative } = require('node:path');
const { processorSeconds, sharedServers } = require('./processor-time.cjs');

const root = `${__dirname}/../../..`;

/** Reports passed and failed tests, and what each file cost, to the process that started jest. */
class ClosingLine {
  suites = [];

  onTestResult({ path }, { perfStats, numPassingTests, numFailingTests, ...result }, results) {
    this.suites.push({
      path: relative(root, path),
      tests: numPassingTests + numFailingTests,
      seconds: perfStats.runtime / 1_000,
      processorSeconds: result.processorSeconds ?? 0,
    });
    this.report(results);
  }

  onRunComplete(_contexts, results) {
    const servers = processorSeconds(sharedServers());
    const shared = { path: 'databases', tests: 0, seconds: 0, processorSeconds: servers };
    this.report(results, servers === 0 ? this.suites : [...this.suites, shared]);
  }

  report({ numPassedTests, numFailedTests, numRuntimeErrorTestSuites }, suites = []) {
    const failed = numFailedTests + numRuntimeErrorTestSuites;
    process.send?.({ passed: numPassedTests, failed, suites });
  }
}

module.exports = ClosingLine;
