import { refuseProblems, wholeNumberProblems } from '@billing/kernel/input-problems';

/** Pages are counted in 32 bits; no list is as long as that. */
export const pageMax = 2 ** 31 - 1;
const perPageMax = 100;

/** Which part of a list is asked for; refuses what no list may be asked. */
export function readPage({ page, perPage }: { page: number; perPage: number }): {
  page: number;
  perPage: number;
} {
  refuseProblems({
    page: wholeNumberProblems(page, { min: 1, max: pageMax }),
    perPage: wholeNumberProblems(perPage, { min: 1, max: perPageMax }),
  });
  return { page, perPage };
}
