import { DrillSystem } from './drill-system';
import { drills } from './drills';

// Databases of some services are older than those of the others.

jest.setTimeout(1_200_000);

let system: DrillSystem;

beforeAll(async () => {
  system = await DrillSystem.start();
});

afterAll(async () => {
  await system.end();
});

test.each(drills)('$name', async ({ run }) => {
  await run(system);
});
