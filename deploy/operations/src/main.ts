import { runCommand } from '@billing/chassis/process';
import { exitStatuses, StartRefusal } from '@billing/chassis/start-refusal';

/** Each runs when it is loaded, with the arguments after its name. */
const commands: Readonly<Record<string, () => Promise<unknown>>> = {
  backup: () => import('./backup/main.js'),
  restore: () => import('./restore/main.js'),
  reconcile: () => import('./reconcile/main.js'),
  doctor: () => import('./doctor/main.js'),
  indexes: () => import('@billing/local/indexes'),
  'requeue-poison': () => import('@billing/local/requeue-poison'),
};

const [name = ''] = process.argv.splice(2, 1);
const command = commands[name];
if (command === undefined) {
  const message = `The first argument must be one of ${Object.keys(commands).join(', ')}`;
  runCommand('billing-operations', () =>
    Promise.reject(new StartRefusal(exitStatuses.usage, message)),
  );
} else {
  void command();
}
