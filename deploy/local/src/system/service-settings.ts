import { configurationSchema as catalog } from '@billing/catalog/config';
import {
  ConfigurationError,
  type ConfigurationProblem,
  configurationVariables,
  readConfiguration,
} from '@billing/chassis/configuration';
import { configurationSchema as checkout } from '@billing/checkout/config';
import { configurationSchema as customer } from '@billing/customer/config';
import { configurationSchema as discount } from '@billing/discount/config';
import { configurationSchema as gateway } from '@billing/gateway/config';
import { configurationSchema as identity } from '@billing/identity/config';
import { configurationSchema as metering } from '@billing/metering/config';
import { configurationSchema as notifier } from '@billing/notifier/config';
import { configurationSchema as subscription } from '@billing/subscription/config';
import type { z } from 'zod';
import { type ServiceName, serviceNames } from './services';

export type Environment = Record<string, string>;

const schemas: Readonly<Record<ServiceName, z.ZodType>> = {
  identity,
  catalog,
  customer,
  discount,
  checkout,
  subscription,
  metering,
  notifier,
  gateway,
};

/** Variables of the schema of a service. */
export function variablesOf(service: ServiceName): string[] {
  return configurationVariables(schemas[service]);
}

/**
 * Variables that the launcher decides, because the parts of one system must agree on them, and what
 * to use instead.
 */
const decided: Readonly<Record<string, string | undefined>> = {
  ...Object.fromEntries(serviceNames.map((name) => [`${name.toUpperCase()}_ADDRESS`, undefined])),
  HOSTED_PAGE_URL: '--url',
  HTTP_LISTEN: '--listen',
  GRPC_LISTEN: undefined,
  HEALTH_LISTEN: undefined,
  GRPC_TLS_CERT: undefined,
  GRPC_TLS_KEY: undefined,
  GRPC_TLS_CA: undefined,
  GRPC_TLS_REREAD_MS: undefined,
  MONGODB_DATABASE: 'DATABASE_PREFIX',
  LOG_FILE: '--data',
  DISK_RESERVE_FOLDER: '--data',
  SECRETS_FOLDER: 'a *_FILE variable for each secret',
  INSTANCE_ID: undefined,
  SHUTDOWN_GRACE_MS: undefined,
};

/** Variables of services that the launcher has read for its own use. */
const ofLauncher = new Set(['MONGODB_URI', 'NATS_URL', 'STREAM_NAME']);

/** A variable, or the variable whose file it names. */
function baseOf(variable: string): string {
  return variable in decided ? variable : variable.replace(/_FILE$/, '');
}

/** True for a variable that the launcher decides. */
export function isDecided(variable: string): boolean {
  return baseOf(variable) in decided;
}

/** Refusals of the variables that the launcher decides, one for each that is set. */
export function decidedProblems(environment: NodeJS.ProcessEnv): ConfigurationProblem[] {
  return Object.keys(environment)
    .filter((variable) => environment[variable] && isDecided(variable))
    .sort()
    .map((variable) => {
      const instead = decided[baseOf(variable)];
      const problem = 'is decided by npm start';
      return { variable, problem: instead === undefined ? problem : `${problem}; use ${instead}` };
    });
}

/** True for a variable of any service, and for one that names its file. */
export function isServiceVariable(variable: string): boolean {
  const base = baseOf(variable);
  return base in decided || serviceNames.some((service) => variablesOf(service).includes(base));
}

/** Variables of services that are passed on, each also as `*_FILE`. */
export function passedOn(environment: NodeJS.ProcessEnv): Environment {
  const passed: Environment = {};
  for (const [variable, value] of Object.entries(environment)) {
    const base = baseOf(variable);
    if (!value || base in decided || ofLauncher.has(base)) continue;
    if (isServiceVariable(variable)) passed[variable] = value;
  }
  return passed;
}

/** The given variables that the service reads. */
export function settingsOf(service: ServiceName, given: Environment): Environment {
  const known = new Set(variablesOf(service));
  return Object.fromEntries(
    Object.entries(given).filter(([variable]) => known.has(baseOf(variable))),
  );
}

/** Problems that a service would refuse its environment for. */
export function problemsOf(service: ServiceName, given: Environment): ConfigurationProblem[] {
  try {
    readConfiguration(schemas[service], given);
    return [];
  } catch (error) {
    if (error instanceof ConfigurationError) return [...error.problems];
    throw error;
  }
}
