/** Classes of work of one instant, in their order of execution. */
export type WorkClass = 'COLLECTION' | 'END' | 'RENEWAL';

/** A service's report about its work for the environment. */
export interface Activity {
  /** Number of documents with unfinished work. */
  readonly pending: number;
  /** Number of them that are due and wait to be run. */
  readonly due: number;
  /** Count of writes, only increasing. Read before `pending`. */
  readonly writes: bigint;
}

/** Outcome of running due work in services. */
interface Handled {
  /** Number of handled documents. */
  readonly processed: number;
  /** True when a call was retried: its service may have handled more before its answer was lost. */
  readonly isRepeated: boolean;
}

/**
 * The services and the clock as an advance needs them. Every call may be retried; a failure ends
 * the advance, and another worker resumes it.
 */
export interface ClockAdvancePorts {
  /** Called between two instants, while all services are quiet, so that others have their turn. */
  betweenInstants(): Promise<void>;
  /** The earliest due instant of each service, not after `until`; always in the same order. */
  nextDue(until: Date): Promise<readonly (Date | undefined)[]>;
  /** Runs work of one class due by `until` in services: those numbered as in nextDue, or all. */
  runDue(until: Date, workClass: WorkClass, services?: readonly number[]): Promise<Handled>;
  /**
   * One report of each service, in the same order: of those numbered as in nextDue, or of all. Due
   * work after `until` or of later classes is not pending.
   */
  activities(
    until: Date,
    workClass: WorkClass,
    asked?: {
      readonly services?: readonly number[];
      /**
       * Counts of writes that the services reported with nothing pending, in the same order: while
       * its count is the same, a service reports nothing pending without looking again.
       */
      readonly idleAt?: readonly bigint[];
    },
  ): Promise<readonly Activity[]>;
  /**
   * Sets the sandbox's time, and records the number of documents handled so far. False: the advance
   * was stopped, and nothing moved.
   */
  moveTo(at: Date, processed: number): Promise<boolean>;
  pause(ms: number): Promise<void>;
}

export const workClasses: readonly WorkClass[] = ['COLLECTION', 'END', 'RENEWAL'];

// Most chains of calls between services end within tens of milliseconds; a call that waits for a
// peer's recovery is not urgent.
const pauseMsMin = 10;
const pauseMsMax = 200;

// Its work may wait for due work of another service, which only a check of all finds.
const busyChecksMax = 20;

/** `service`: the first one with unfinished work, if any has. */
type QuietCheck =
  | { readonly kind: 'QUIET' }
  | { readonly kind: 'BUSY'; readonly service: number | undefined }
  | { readonly kind: 'DUE' };

/**
 * Moves a sandbox from instant to instant until `to`: a discrete-event simulation of the real
 * services. An advance that is interrupted at any point resumes from the stored time without loss:
 * unfinished due work is still due. Returns the number of handled documents, including those before
 * the interruption.
 */
export async function runAdvance(
  { from, to, processed }: { from: Date; to: Date; processed: number },
  ports: ClockAdvancePorts,
): Promise<number> {
  let now = from;
  // Work begun before the advance ends at its own time.
  let total = processed + (await drain(now, ports));
  const nextDue = async () => {
    await ports.betweenInstants();
    return ports.nextDue(to);
  };
  const isThrough = await forEachInstant(nextDue, async (earliest, dues) => {
    if (earliest > now) now = earliest;
    if (!(await ports.moveTo(now, total))) return false;
    total += await runInstant(now, ports, { quietBut: servicesDueBy(now, dues) });
    return true;
  });
  if (!isThrough || to <= now) return total;
  if (!(await ports.moveTo(to, total))) return total;
  return total + (await drain(to, ports));
}

/**
 * Runs the due work of services from instant to instant, the earliest one first. `nextDue` returns
 * the earliest due instant of each service. Returns true once no work is due; false as soon as an
 * instant returns false.
 */
export async function forEachInstant(
  nextDue: () => Promise<readonly (Date | undefined)[]>,
  runAt: (earliest: Date, dues: readonly (Date | undefined)[]) => Promise<boolean>,
): Promise<boolean> {
  for (;;) {
    const dues = await nextDue();
    const earliest = earliestOf(dues);
    if (earliest === undefined) return true;
    if (!(await runAt(earliest, dues))) return false;
  }
}

/** Waits for quiet, and runs the work due at the sandbox's present time, if there is any. */
async function drain(now: Date, ports: ClockAdvancePorts): Promise<number> {
  if ((await checkQuiet(now, 'RENEWAL', ports)).kind === 'QUIET') return 0;
  return runInstant(now, ports, {});
}

/**
 * Runs all work due at one instant, class by class, each to its last consequence before the next.
 * When all services are quiet except for the due work of some, the others need not be called until
 * the first document has been handled. A class without due work leaves quiet services quiet, so no
 * wait is needed after it.
 */
async function runInstant(
  now: Date,
  ports: ClockAdvancePorts,
  { quietBut }: { quietBut?: readonly number[] },
): Promise<number> {
  let processed = 0;
  let services = quietBut;
  let isQuiet = quietBut !== undefined;
  for (const workClass of workClasses) {
    const ran = await ports.runDue(now, workClass, services);
    processed += ran.processed;
    if (ran.processed === 0 && !ran.isRepeated && isQuiet) continue;
    processed += await becomeQuiet(now, workClass, ports);
    services = undefined;
    isQuiet = true;
  }
  return processed;
}

/** Waits until no service has unfinished work, and runs work that becomes due in between. */
async function becomeQuiet(
  now: Date,
  workClass: WorkClass,
  ports: ClockAdvancePorts,
): Promise<number> {
  let processed = 0;
  let pauseMs = pauseMsMin;
  const pause = async () => {
    await ports.pause(pauseMs);
    pauseMs = Math.min(2 * pauseMs, pauseMsMax);
  };
  for (;;) {
    const seen = await checkQuiet(now, workClass, ports);
    if (seen.kind === 'QUIET') return processed;
    if (seen.kind === 'DUE') processed += await runUpTo(now, workClass, ports);
    await pause();
    if (seen.kind === 'BUSY' && seen.service !== undefined) {
      await awaitIdle(seen.service, { now, workClass, pause }, ports);
    }
  }
}

/** Asks one busy service alone, because a check of all services costs much more. */
async function awaitIdle(
  service: number,
  { now, workClass, pause }: { now: Date; workClass: WorkClass; pause: () => Promise<void> },
  ports: ClockAdvancePorts,
): Promise<void> {
  for (let check = 1; check <= busyChecksMax; check += 1) {
    const [activity] = await ports.activities(now, workClass, { services: [service] });
    if (activity === undefined || activity.pending === 0 || activity.due > 0) return;
    await pause();
  }
}

/**
 * Asks all services for their unfinished work, always in the same order. Work moves between
 * services, and one check of each in turn can miss moving work. Quiet means two rounds without
 * pending work, and no write from the counts of the first round to those of a third one.
 *
 * Work moves by a write to the next service, and stays pending where it is until then. The write is
 * counted before it happens, and a service reads its count before its pending work. So a write that
 * happens during the second round was counted before the first one read the count of its service,
 * and work moves by such a write once at most, because it is counted after the move before. If the
 * second round missed work, it moved from a service to one asked earlier. But the work was at the
 * former from the count on, so the first round, which asks that service later, has found it there.
 */
async function checkQuiet(
  now: Date,
  workClass: WorkClass,
  ports: ClockAdvancePorts,
): Promise<QuietCheck> {
  const first = await ports.activities(now, workClass);
  if (first.some(({ due }) => due > 0)) return { kind: 'DUE' };
  if (!isIdle(first)) return busy(first);
  const second = await ports.activities(now, workClass);
  if (!isIdle(second) || !isSame(first, second)) return busy(second);
  const idleAt = first.map(({ writes }) => writes);
  const third = await ports.activities(now, workClass, { idleAt });
  return isIdle(third) && isSame(first, third) ? { kind: 'QUIET' } : busy(third);
}

async function runUpTo(now: Date, workClass: WorkClass, ports: ClockAdvancePorts): Promise<number> {
  let processed = 0;
  for (const earlier of workClasses.slice(0, workClasses.indexOf(workClass) + 1)) {
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

function busy(round: readonly Activity[]): QuietCheck {
  const service = round.findIndex(({ pending }) => pending > 0);
  return { kind: 'BUSY', service: service === -1 ? undefined : service };
}

function isIdle(round: readonly Activity[]): boolean {
  return round.every(({ pending }) => pending === 0);
}

function isSame(first: readonly Activity[], second: readonly Activity[]): boolean {
  return second.every(({ writes }, index) => writes === first[index]?.writes);
}
