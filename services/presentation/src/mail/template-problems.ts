import { optionalProblems, textProblems } from '@billing/kernel/input-problems';
import {
  type MailKind,
  type MailText,
  type MailVariable,
  needsLink,
  variablesOf,
} from '../catalogue/mail-kind';
import { hasUnsupportedLink } from './body';
import { markVariables, referenceProblems } from './template';

const subjectMax = 200;
const bodyMax = 10_000;
const lineBreak = /[\n\v\f\r\u0085\u2028\u2029]/u;

/** Problems of the texts that a seller has written for a kind of mail, by field. */
export function mailTextProblems(
  kind: MailKind,
  { subject, body }: Partial<MailText>,
): Record<keyof MailText, string[]> {
  return {
    subject: optionalProblems(subject, (text) => subjectProblems(text, kind)),
    body: optionalProblems(body, (text) => bodyProblems(text, kind)),
  };
}

function subjectProblems(subject: string, kind: MailKind): string[] {
  if (subject.trim() === '') return ['Required'];
  return [
    ...textProblems(subject, { max: subjectMax }),
    ...(lineBreak.test(subject) ? ['Must not contain line breaks'] : []),
    ...referenceProblems(subject, variablesOf(kind)),
  ];
}

function bodyProblems(body: string, kind: MailKind): string[] {
  if (body.trim() === '') return ['Required'];
  const allowed = variablesOf(kind);
  const problems = [...textProblems(body, { max: bodyMax }), ...referenceProblems(body, allowed)];
  // Other rules need a body that can be rendered.
  if (problems.length > 0) return problems;
  const all = Object.fromEntries(allowed.map((name): [MailVariable, string] => [name, 'x']));
  const shown = [all, { link: 'x' }].map((values) => markVariables(body, values, allowed));
  return [
    ...(shown.some(hasUnsupportedLink) ? ['Unsupported link'] : []),
    ...(needsLink(kind) && !shown.every(({ variables }) => variables.includes('link'))
      ? ['Must contain {{link}}']
      : []),
  ];
}
