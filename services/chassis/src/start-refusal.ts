/** What the end of a program means to who called it. */
export const exitStatuses = {
  /** The command line is wrong. */
  usage: 2,
  /** Something stored is damaged. */
  damaged: 65,
  /** Something that is needed is taken or cannot be reached: it may work later. */
  busy: 75,
  /** The configuration is wrong, or not the one that the data belongs to. */
  configuration: 78,
} as const;

/** A program does not start, for a reason that people can mend: its message is printed alone, without a stack. */
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

/** Why a server cannot listen on an address. */
export function listenRefusal(address: string, cause: unknown): Error {
  const isTaken = (cause as NodeJS.ErrnoException | undefined)?.code === 'EADDRINUSE';
  if (!isTaken) return new Error(`Cannot listen on ${address}`, { cause });
  return new StartRefusal(
    exitStatuses.busy,
    `Cannot listen on ${address}: address already in use`,
    { cause },
  );
}
