import { Scenario } from './scenario';
import { startTestSystem, type TestSystem } from '../support/test-system';

// A busy machine needs more time.
const startTimeoutMs = 120_000;

/**
 * Starts a system for the tests of a block; each test gets its own scenario, which begins on a day
 * and is checked against the invariants at its end.
 */
export function beginEachOn(day: string, given: (scenario: Scenario) => void): void {
  let system: TestSystem;
  let scenario: Scenario;

  beforeAll(async () => {
    system = await startTestSystem();
  }, startTimeoutMs);

  beforeEach(async () => {
    scenario = await Scenario.begin(system, day);
    given(scenario);
  });

  afterEach(async () => {
    await scenario.end();
  });

  afterAll(async () => {
    await system.stop();
  });
}
