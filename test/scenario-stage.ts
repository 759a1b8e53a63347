import { Scenario } from './scenario';
import { startTestSystem, type TestSystem } from './test-system';

// A busy machine may take its time.
const startTimeoutMs = 120_000;

/** A system for the tests of a block, and for each of them a scenario of its own that begins on a day and is looked over at its end. */
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
