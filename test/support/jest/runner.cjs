const { default: runFile } = require('jest-circus/runner');
const { processorSeconds, sharedServers } = require('./processor-time.cjs');
const { endSharedSystem } = require('./shared-system-end.cjs');

// What loads jest counts for the first file of a worker.
let before = 0;

/** Runs a test file, and adds the processor seconds that it took to its result. */
module.exports = async function run(globalConfig, config, ...others) {
  if (config.displayName.name !== 'e2e') endSharedSystem();
  const result = await runFile(globalConfig, config, ...others);
  const now = processorSeconds([process.pid], sharedServers());
  // A process that leaves the family takes its seconds with it.
  result.processorSeconds = Math.max(0, now - before);
  before = now;
  return result;
};
