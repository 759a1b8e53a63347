import type { ServiceDatabase } from './databases';

/** Records a complete backup, with the databases of the system that it was made of. */
export async function recordBackup(
  [first]: readonly ServiceDatabase[],
  instant: Date,
): Promise<void> {
  await first?.system.recordBackup(instant);
}

export async function readLastBackup([first]: readonly ServiceDatabase[]): Promise<
  Date | undefined
> {
  return first?.system.lastBackup();
}
