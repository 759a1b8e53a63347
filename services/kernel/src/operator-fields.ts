import { parseEmailAddress } from './email-address';
import {
  type InputProblems,
  lineProblems,
  optionalProblems,
  problemsOfParsing,
  textProblems,
} from './input-problems';

const nameLengthMax = 200;
const passwordLengthMin = 12;
const passwordLengthMax = 200;

/** Fields of an operator of the dashboard that have rules of their own. */
interface OperatorFields {
  readonly email?: string | undefined;
  readonly name?: string | undefined;
}

/** Problems of each present field. */
export function operatorProblems({ email, name }: OperatorFields): InputProblems {
  return {
    email: optionalProblems(email, (text) => problemsOfParsing(() => parseEmailAddress(text))),
    name: optionalProblems(name, operatorNameProblems),
  };
}

/** Problems of an operator's name. */
export function operatorNameProblems(text: string): string[] {
  return lineProblems(text.trim(), { min: 1, max: nameLengthMax });
}

/** Problems of the length of a new password; identity also refuses passwords easy to guess. */
export function passwordLengthProblems(password: string): string[] {
  if (password.length >= passwordLengthMin)
    return textProblems(password, { max: passwordLengthMax });
  return [`Must be at least ${String(passwordLengthMin)} characters`];
}
