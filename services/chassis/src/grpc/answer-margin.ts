/**
 * Time reserved before a caller's deadline for the last write and for sending the answer. A busy
 * process may need most of it.
 */
export const answerMarginMs = 2_000;
