/** In which order work of one instant runs. */
export type WorkClass = 'COLLECTION' | 'END' | 'RENEWAL';

/** What one service says of its work for the environment. */
export interface Activity {
  /** Documents with something left to do. */
  readonly pending: number;
  /** How many of them are due and wait to be run. */
  readonly due: number;
  /** Counts writes, ever upwards. Read before `pending`. */
  readonly writes: bigint;
}

/** What came of letting services run what is due. */
export interface Handled {
  /** How many documents they handled. */
  readonly processed: number;
  /** Whether one of them was asked again: it may have handled more before its answer was lost. */
  readonly isRepeated: boolean;
}

/** What a jump needs of the world. All of it may be repeated; a failure ends the jump, and another worker takes it up. */
export interface JumpPorts {
  /** The earliest instant, not after `until`, at which each service has something due; always in the same order. */
  nextDue(until: Date): Promise<readonly (Date | undefined)[]>;
  /** Lets services run what is due by `until` in one class: those numbered as nextDue does, or all. */
  runDue(until: Date, workClass: WorkClass, services?: readonly number[]): Promise<Handled>;
  /** One answer of each service, in the same order. Due work after `until` or of later classes is not pending. */
  activities(until: Date, workClass: WorkClass): Promise<readonly Activity[]>;
  /** Sets the sandbox's time, and records how many documents were handled so far. False: the advance was stopped, and nothing moved. */
  moveTo(at: Date, processed: number): Promise<boolean>;
  pause(ms: number): Promise<void>;
}

const classes: readonly WorkClass[] = ['COLLECTION', 'END', 'RENEWAL'];

// Most chains of calls between services end within tens of milliseconds; one that waits for a peer to come back needs no hurry.
const pauseMsMin = 10;
const pauseMsMax = 200;

type Look = 'QUIET' | 'BUSY' | 'DUE';

/**
 * Takes a sandbox from instant to instant until `to`: a discrete-event simulation of the real services. Nothing is lost when it is
 * cut off anywhere and begun again from the stored time: what was due and is not done is still due. Returns how many documents were
 * handled, those handled before it was cut off included.
 */
export async function jump(
  { from, to, processed }: { from: Date; to: Date; processed: number },
  ports: JumpPorts,
): Promise<number> {
  let now = from;
  // What was begun before the jump ends at its own time.
  let total = processed + (await settle(now, ports));
  for (;;) {
    const dues = await ports.nextDue(to);
    const earliest = earliestOf(dues);
    if (earliest === undefined) break;
    if (earliest > now) now = earliest;
    if (!(await ports.moveTo(now, total))) return total;
    total += await runInstant(now, ports, { quietBut: servicesDueBy(now, dues) });
  }
  if (to <= now) return total;
  if (!(await ports.moveTo(to, total))) return total;
  return total + (await settle(to, ports));
}

/** Waits for quiet, and runs what is due at the sandbox's present time, if anything is. */
async function settle(now: Date, ports: JumpPorts): Promise<number> {
  if ((await look(now, 'RENEWAL', ports)) === 'QUIET') return 0;
  return runInstant(now, ports, {});
}

/**
 * Runs everything due at one instant, class by class, each to its last consequence before the next. Where all is quiet but for what is
 * due in some services, the others need not be asked, and there is nothing to wait for, until the first document has been handled.
 */
async function runInstant(
  now: Date,
  ports: JumpPorts,
  { quietBut }: { quietBut?: readonly number[] },
): Promise<number> {
  let processed = 0;
  let services = quietBut;
  for (const workClass of classes) {
    const ran = await ports.runDue(now, workClass, services);
    processed += ran.processed;
    if (ran.processed === 0 && !ran.isRepeated && services !== undefined) continue;
    processed += await becomeQuiet(now, workClass, ports);
    services = undefined;
  }
  return processed;
}

/** Waits until no service has anything to do, and runs what falls due meanwhile. */
async function becomeQuiet(now: Date, workClass: WorkClass, ports: JumpPorts): Promise<number> {
  let processed = 0;
  for (let pauseMs = pauseMsMin; ; pauseMs = Math.min(2 * pauseMs, pauseMsMax)) {
    const seen = await look(now, workClass, ports);
    if (seen === 'QUIET') return processed;
    if (seen === 'DUE') processed += await runUpTo(now, workClass, ports);
    await ports.pause(pauseMs);
  }
}

/**
 * Asks all services what they have to do. Work moves between services, and a look at each in turn can miss it on its way: quiet are
 * only two rounds without pending work and without a write between them. A service reads its count of writes before its pending work,
 * so nothing was added to its work from its first look at it until its second count; these spans of all services have an instant in
 * common, the one between the rounds, and at that instant none of them had anything to do.
 */
async function look(now: Date, workClass: WorkClass, ports: JumpPorts): Promise<Look> {
  const first = await ports.activities(now, workClass);
  if (first.some(({ due }) => due > 0)) return 'DUE';
  if (!isIdle(first)) return 'BUSY';
  const second = await ports.activities(now, workClass);
  return isIdle(second) && isSame(first, second) ? 'QUIET' : 'BUSY';
}

async function runUpTo(now: Date, workClass: WorkClass, ports: JumpPorts): Promise<number> {
  let processed = 0;
  for (const earlier of classes.slice(0, classes.indexOf(workClass) + 1)) {
    processed += (await ports.runDue(now, earlier)).processed;
  }
  return processed;
}

function earliestOf(dues: readonly (Date | undefined)[]): Date | undefined {
  return dues.reduce(
    (first, due) => (due !== undefined && (first === undefined || due < first) ? due : first),
    undefined,
  );
}

function servicesDueBy(now: Date, dues: readonly (Date | undefined)[]): number[] {
  return dues.flatMap((due, service) => (due !== undefined && due <= now ? [service] : []));
}

function isIdle(round: readonly Activity[]): boolean {
  return round.every(({ pending }) => pending === 0);
}

function isSame(first: readonly Activity[], second: readonly Activity[]): boolean {
  return second.every(({ writes }, index) => writes === first[index]?.writes);
}
