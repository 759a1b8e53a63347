import { ApiProblem } from '../../api/problem';

/** Runs a sign-in attempt; after too many attempts the error says how long to wait. */
export async function withWaitingTime(attempt: () => Promise<unknown>): Promise<void> {
  try {
    await attempt();
  } catch (error) {
    if (!(error instanceof ApiProblem) || error.details.status !== 429) throw error;
    throw new ApiProblem('Too many attempts. Please wait up to 15 minutes', error.details);
  }
}
