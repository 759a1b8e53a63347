/** What is left of a caller's time for the last write and for the answer to travel. A busy process may need most of it. */
export const answerMarginMs = 2_000;
