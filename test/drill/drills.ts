import { older } from './copies';
import type { DrillSystem } from './drill-system';
import { pausedBackup } from './paused-backup';

/** A drill on a system that others have used before it. */
interface Drill {
  readonly name: string;
  /** False: `npm run drill` and the nightly tests alone run it. */
  readonly isQuick: boolean;
  readonly run: (system: DrillSystem) => Promise<void>;
}

/** Drills of databases that are older than the others, in the order of the sandbox's time. */
export const drills: readonly Drill[] = [
  {
    name: 'D8: a database that is older by ten minutes is refused, and nothing changes',
    isQuick: true,
    run: refuseOlderDatabase,
  },
  { name: 'D3: a backup under load pauses writes', isQuick: true, run: pausedBackup },
];

const minutesMs = 600_000;

async function refuseOlderDatabase(system: DrillSystem): Promise<void> {
  const { machine, copies } = system;
  const saved = await system.saveBeforeRenewals(['checkout'], { count: 5 });
  await system.untilRenewed(saved.renewing);
  await machine.stop();
  const current = await copies.save(['checkout']);
  await copies.putBack(
    new Map([...saved.copies].map(([service, copy]) => [service, older(copy, minutesMs)])),
  );
  const before = await copies.save(machine.services);
  const instant = new Date(saved.at.getTime() - minutesMs).toISOString();
  const refused = await machine.run(['restore', '--restored', instant]);
  const text = `_(?!checkout)\\w+ was not restored to ${instant}: restore all databases to one instant`;
  expect(refused).toMatchObject({ code: 78, stderr: expect.stringMatching(new RegExp(text)) });
  expect(await copies.save(machine.services)).toEqual(before);
  await copies.putBack(current);
  await machine.start();
}
