const { readFileSync, rmSync } = require('node:fs');
const { join } = require('node:path');

/**
 * Ends the system that the test files of this worker share, if there is one: an idle system takes a
 * tenth of a core. A later file that joins starts another one.
 */
function endSharedSystem() {
  const { SHARED_SYSTEMS_FOLDER: folder, JEST_WORKER_ID: worker } = process.env;
  if (folder === undefined) return;
  const file = join(folder, `${worker}.json`);
  try {
    const { process: system } = JSON.parse(readFileSync(file, 'utf8'));
    rmSync(file);
    // Built where a system was started.
    const { isAlive } = require('@billing/local/process-identity');
    if (isAlive(system)) process.kill(system.pid, 'SIGTERM');
  } catch (error) {
    // No file has joined one, or it has ended.
    if (!['ENOENT', 'ESRCH'].includes(error.code)) throw error;
  }
}

module.exports = { endSharedSystem };
