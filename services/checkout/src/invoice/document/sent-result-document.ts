import type { SentResult } from '../attempt';
import type { Count } from './stored-fields';

export type SentResultDocument = Omit<SentResult, 'resultNumber' | 'attempt'> &
  Record<'resultNumber' | 'attempt', Count>;

export function fromResultDocument(sent: SentResultDocument): SentResult {
  const { resultNumber, attempt } = sent;
  return { ...sent, resultNumber: Number(resultNumber), attempt: Number(attempt) };
}
