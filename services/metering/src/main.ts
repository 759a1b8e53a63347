import { processEnvironment } from '@billing/chassis/configuration';
import { runProcess } from '@billing/chassis/process';
import { readConfig } from './config';
import { start } from './service';

runProcess('metering', () => start(readConfig(processEnvironment())));
