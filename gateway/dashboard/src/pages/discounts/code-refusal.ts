import { ApiProblem } from '../../api/problem';

const textOfCode: Readonly<Record<string, string>> = {
  discount_not_found: 'No discount has this code',
  discount_inactive: 'The discount is inactive',
  discount_not_started: 'The discount is not valid yet',
  discount_expired: 'The discount has ended',
  discount_exhausted: 'The discount has been redeemed as often as its limit allows',
  discount_wrong_product: 'The discount is for other products',
};

/** The error of a check with the reason that the API gives by its code. */
export function codeRefusal(error: unknown): unknown {
  if (!(error instanceof ApiProblem)) return error;
  const text = textOfCode[error.details.code];
  return text === undefined ? error : new ApiProblem(text, error.details);
}
