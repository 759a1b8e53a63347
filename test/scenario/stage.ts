import { Scenario } from './scenario';
import { joinTestSystem, type TestSystem } from '../support/shared-system';

// A busy machine needs more time.
const startTimeoutMs = 600_000;

/**
 * Starts a system for the tests of a block; each test gets its own scenario, which begins on a day
 * and is checked against the invariants at its end.
 */
export function beginEachOn(day: string, given: (scenario: Scenario) => void): void {
  let system: TestSystem;
  let scenario: Scenario;

  beforeAll(async () => {
    system = await joinTestSystem();
  }, startTimeoutMs);

  beforeEach(async () => {
    scenario = await Scenario.begin(system, day);
    given(scenario);
  });

  afterEach(async () => {
    await scenario.end();
  });
}
