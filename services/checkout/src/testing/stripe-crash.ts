import type { StripeFault, TestStripe } from './stripe-provider';

/** A crash at the call to Stripe with this number. */
export interface Death {
  readonly at: number;
  readonly fault: StripeFault;
}

const faults: readonly StripeFault[] = ['LOST', 'ANSWER_LOST'];

/** Each single crash and each pair of crashes of work that makes a number of calls. */
export function deathsOf(calls: number): { single: Death[][]; twice: Death[][] } {
  const each = Array.from({ length: calls }, (_call, index) => index + 1).flatMap((at) =>
    faults.map((fault) => ({ at, fault })),
  );
  return {
    single: each.map((death) => [death]),
    twice: each.flatMap((first) => each.map((second) => [first, second])),
  };
}

/** Crashes work at calls to Stripe, one run after another, completes it, and repeats it. */
export async function workThrough<T>(
  stripe: TestStripe,
  deaths: readonly Death[],
  { work, forgets }: { readonly work: () => Promise<T>; readonly forgets: boolean },
): Promise<T> {
  for (const { at, fault } of deaths) {
    const deadFrom = stripe.requests.length + at;
    stripe.faultAt = (number) => {
      if (number < deadFrom) return undefined;
      return number === deadFrom ? fault : 'LOST';
    };
    await work().catch(() => undefined);
    if (forgets) stripe.forgetKeys();
  }
  stripe.faultAt = () => undefined;
  const outcome = await work();
  expect(await work()).toEqual(outcome);
  return outcome;
}
