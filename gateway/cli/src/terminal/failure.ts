/** Exit statuses: done, refused or failed, wrong usage, not signed in. */
export const exitStatus = { done: 0, failed: 1, usage: 2, signedOut: 3 } as const;

/** Ends the program with a message and an exit status. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';

  constructor(
    message: string,
    readonly status: number = exitStatus.failed,
  ) {
    super(message);
  }
}

/** True for a failure that the caller can avoid by another call. */
export function isWrongUsage(error: unknown): boolean {
  return error instanceof CommandFailure && error.status === exitStatus.usage;
}

/** A command that was called in a wrong way. */
export function wrongUsage(message: string): CommandFailure {
  return new CommandFailure(message, exitStatus.usage);
}
