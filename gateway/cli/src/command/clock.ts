import { printFields } from '../terminal/output';
import { readInstant } from '../terminal/instant';
import { confirmLive, openSession, type SharedFlags } from '../session/session';
import { say, type Terminal } from '../terminal/terminal';

const watchEveryMs = 1_000;

/** Shows the clock of the environment. */
export async function showClock(terminal: Terminal, flags: SharedFlags): Promise<void> {
  const { api } = await openSession(terminal, flags);
  const { clock, now } = await api.sandboxes.retrieveClock();
  printFields(terminal, { clock, now }, flags);
}

/**
 * Advances the clock and says how far it is. The advance goes on at the server after Ctrl-C, which
 * ends the watching only.
 */
export async function advanceClock(
  terminal: Terminal,
  to: string,
  flags: SharedFlags,
): Promise<void> {
  const session = await openSession(terminal, flags);
  await confirmLive(terminal, session, flags);
  const { api } = session;
  const { now } = await api.sandboxes.retrieveClock();
  const target = readInstant(to, new Date(now)).toISOString();
  const watch = setInterval(() => {
    void api.sandboxes.retrieveClock().then(
      (clock) => {
        say(terminal, `${clock.now} of ${target}`);
      },
      // The advance itself reports failures.
      () => undefined,
    );
  }, watchEveryMs);
  try {
    const { now: reached, processed, stopped } = await api.sandboxes.advance({ to: target });
    printFields(terminal, { now: reached, processed, ...(stopped && { stopped }) }, flags);
  } finally {
    clearInterval(watch);
  }
}

/** Stops an advance. */
export async function stopClock(terminal: Terminal, flags: SharedFlags): Promise<void> {
  const session = await openSession(terminal, flags);
  await confirmLive(terminal, session, flags);
  const { clock, now } = await session.api.sandboxes.stopAdvance();
  printFields(terminal, { clock, now }, flags);
}
