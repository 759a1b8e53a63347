import { ApiProblem } from '../../api/problem';

/** Runs an attempt to come in; who tried too often is told how long to wait. */
export async function waitingSaid(attempt: () => Promise<unknown>): Promise<void> {
  try {
    await attempt();
  } catch (error) {
    if (!(error instanceof ApiProblem) || error.details.status !== 429) throw error;
    throw new ApiProblem(
      'Too many attempts. Please wait up to a quarter of an hour',
      error.details,
    );
  }
}
