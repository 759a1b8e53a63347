import type { Finding } from './check';
import type { StepReport } from './request-steps';

// Counts of what a service could not do in a step, without the name of the service.
const texts: Readonly<Record<string, string>> = {
  failed: 'states could not be compared with the other services; the log of the service names them',
  attemptsLeft: 'charges have an outcome that the payment provider did not tell',
  resultsUnknown:
    'invoices of release 0.1.0 ended in a way that their subscriptions may not know: compare them',
  usageRefused:
    'subscriptions have invoices of usage that no meter can have; the log of the service names them',
  clocksLeft: 'sandboxes have due work that was not done; the next clock advance does it',
  endsLeft: 'ends of subscriptions wait for the outcome of a payment',
  refundsLeft: 'payments have refunds that could not be compared with the payment provider',
  disputesLeft: 'disputes could not be compared with the payment provider',
};

/** Finds what services could not do: opening the system would leave it undone. */
export function unfinishedSteps(steps: readonly StepReport[]): Finding[] {
  return steps.flatMap(({ step, counts }) =>
    Object.entries(counts).flatMap(([name, count]) => {
      const [service = '', counted = ''] = name.split('.');
      const text = texts[counted];
      if (text === undefined || count === 0) return [];
      return [{ invariant: step, text: `${service}: ${String(count)} ${text}` }];
    }),
  );
}
