/** Exit statuses of programs, for their callers. */
export const exitStatuses = {
  /** Invalid command line. */
  usage: 2,
  /** Damaged stored data. */
  damaged: 65,
  /** A required resource is in use or unreachable; a later start may succeed. */
  busy: 75,
  /** Invalid configuration, or one that does not belong to the data. */
  configuration: 78,
} as const;

/**
 * A refusal to start for a reason that people can fix. The message is printed alone, without a
 * stack.
 */
export class StartRefusal extends Error {
  override readonly name = 'StartRefusal';

  constructor(
    readonly exitStatus: number,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** Refusal of a start without a server; the message contains the reason in one line. */
export function unreachable(server: string, cause: unknown): StartRefusal {
  const [reason = ''] = (cause instanceof Error ? cause.message : String(cause)).split('\n');
  const message = `${server} cannot be reached: ${reason}`;
  return new StartRefusal(exitStatuses.busy, message, { cause });
}
