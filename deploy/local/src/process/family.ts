import { mkdir, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { identify } from './identity';
import { ownIdentity, type RecordedChild, writeRecord } from './record';
import { type Program, supervise, type SupervisedProcess } from './supervised-process';
import { startWatchdog } from './watchdog';

/**
 * Processes that end with this launcher: it stops them in reverse order of their start. If the
 * launcher is killed, a watchdog stops them. If the watchdog is killed, too, the next launcher
 * stops them from the record.
 */
export interface ProcessFamily {
  start(program: Program): Promise<void>;
  /** Running processes by name. */
  pids(): Record<string, number>;
  stop(): Promise<void>;
}

export interface FamilyOptions {
  recordFile: string;
  /** Folders that are removed after the processes have ended, for any reason. */
  folders: readonly string[];
  log: (line: string) => void;
  /** Called after each start and end of a process. */
  onChange?: (pids: Record<string, number>) => Promise<void>;
}

/** Opens a family, after recovery from the record of the previous one. */
export async function openProcessFamily(options: FamilyOptions): Promise<ProcessFamily> {
  const { recordFile, folders, log } = options;
  await mkdir(dirname(recordFile), { recursive: true });
  const members: SupervisedProcess[] = [];
  const watchdog = startWatchdog(folders);

  const record = async (): Promise<void> => {
    const children = membersInStopOrder(members);
    watchdog.watch(children);
    await writeRecord(recordFile, { launcher: ownIdentity(), children, folders: [...folders] });
    await options.onChange?.(pidsOf(members));
  };
  // Several processes change concurrently; each write of the record waits for the previous one.
  let lastRecord = record();
  const recordNext = (): Promise<void> => (lastRecord = lastRecord.then(record, record));
  await lastRecord;

  let stopping: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    for (const member of [...members].reverse()) await member.stop();
    await lastRecord;
    watchdog.dismiss();
    for (const folder of folders) await rm(folder, { recursive: true, force: true });
    await rm(recordFile, { force: true });
  };

  return {
    start: async (program) => {
      const member = supervise(program, { log, onChange: recordNext });
      members.push(member);
      await member.start();
    },
    pids: () => pidsOf(members),
    stop: () => (stopping ??= stop()),
  };
}

function membersInStopOrder(members: readonly SupervisedProcess[]): RecordedChild[] {
  return [...members].reverse().flatMap((member): RecordedChild[] => {
    const pid = member.pid();
    const identity = pid === undefined ? undefined : identify(pid);
    return identity ? [{ ...identity, name: member.name, stopSignal: member.stopSignal }] : [];
  });
}

function pidsOf(members: readonly SupervisedProcess[]): Record<string, number> {
  return Object.fromEntries(
    members.flatMap((member) => {
      const pid = member.pid();
      return pid === undefined ? [] : [[member.name, pid]];
    }),
  );
}
