import { parseEmailAddress } from '@billing/kernel/email-address';
import { lineProblems, optionalProblems, problemsOfParsing } from '@billing/kernel/input-problems';

const fromNameMax = 100;

/** Problems of the sender of mails, by field; null clears a field. */
export function mailSenderProblems({
  fromName,
  fromAddress,
  replyTo,
}: {
  readonly fromName?: string | null | undefined;
  readonly fromAddress?: string | null | undefined;
  readonly replyTo?: string | null | undefined;
}): Record<'fromName' | 'fromAddress' | 'replyTo', string[]> {
  return {
    fromName: optionalProblems(fromName ?? undefined, (text) =>
      lineProblems(text.trim(), { min: 1, max: fromNameMax }),
    ),
    fromAddress: optionalProblems(fromAddress ?? undefined, addressProblems),
    replyTo: optionalProblems(replyTo ?? undefined, addressProblems),
  };
}

function addressProblems(text: string): string[] {
  return problemsOfParsing(() => parseEmailAddress(text));
}
