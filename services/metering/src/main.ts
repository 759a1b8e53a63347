import { processEnvironment } from '@billing/chassis/configuration';
import { runService } from '@billing/chassis/service-process';
import { readConfig } from './config';
import { start } from './service';

runService('metering', (overrides) => start(readConfig(processEnvironment()), overrides));
