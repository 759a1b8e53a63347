/**
 * Every instrument there is. Names and units follow OpenTelemetry's conventions; what those do not name begins with `billing.`.
 * Environments, customers and ids are never attributes: their number has no bound.
 */
export const instruments = {
  ready: {
    name: 'billing.ready',
    unit: '{replica}',
    description: 'Whether a replica can serve: 1 or 0, as its probe says',
  },
  streamConnected: {
    name: 'billing.stream.connected',
    unit: '{replica}',
    description: 'Whether a replica reaches the event stream: 1 or 0; without it events come late',
  },
  streamReplicasMissing: {
    name: 'billing.stream.replicas.missing',
    unit: '{copy}',
    description: 'Copies of the event stream that should exist and do not, or are behind',
  },
  renewals: {
    name: 'billing.subscription.renewals',
    unit: '{renewal}',
    description: 'Periods that due subscriptions entered',
  },
  renewalLag: {
    name: 'billing.subscription.renewal.lag',
    unit: 's',
    description: 'From the start of a period to the renewal into it, where time is real',
  },
  parkedSubscriptions: {
    name: 'billing.subscription.parked',
    unit: '{subscription}',
    description: 'Subscriptions that reached a limit and renew no more, by reason; any is an alarm',
  },
  payments: {
    name: 'billing.payments',
    unit: '{payment}',
    description: 'Attempts to collect, by outcome',
  },
  notCharged: {
    name: 'billing.payments.not_charged',
    unit: '{invoice}',
    description:
      'Invoices that could not be charged for a reason that is not their customer, by reason; any is an alarm',
  },
  waitingInvoices: {
    name: 'billing.invoices.awaiting_provider',
    unit: '{invoice}',
    description: 'Live invoices that wait until a payment provider is configured; any is an alarm',
  },
  providerReports: {
    name: 'billing.payments.provider_reports',
    unit: '{report}',
    description:
      'Refunds, disputes and payments against our books that a provider reported, by kind; any is an alarm',
  },
  webhookLag: {
    name: 'billing.webhook.lag',
    unit: 's',
    description: 'From the acceptance of a message to the first attempt at each endpoint',
  },
  outboxAge: {
    name: 'billing.outbox.age',
    unit: 's',
    description: 'How long the outbox that waits longest has waited, by aggregate',
  },
  dueBacklog: {
    name: 'billing.due_work.backlog',
    unit: '{document}',
    description: 'Documents whose real time has come, by aggregate and kind of work',
  },
  dueAge: {
    name: 'billing.due_work.age',
    unit: 's',
    description: 'For how long the document that was due first has been, by aggregate and kind',
  },
  poisonMessages: {
    name: 'billing.poison_messages',
    unit: '{message}',
    description: 'Messages set aside as unreadable, by consumer; any is an alarm',
  },
  missingEvents: {
    name: 'billing.events.missing',
    unit: '{aggregate}',
    description:
      'Aggregates whose events have waited for more than two minutes for one that no log has',
  },
  settlementAge: {
    name: 'billing.settlement.age',
    unit: 's',
    description: 'How long the settlement of usage that has run longest in a replica has run',
  },
  droppedCredits: {
    name: 'billing.subscription.credits.dropped',
    unit: '{subscription}',
    description:
      'Subscriptions whose last bill left an amount unsettled that was owed to the customer',
  },
  callDuration: {
    name: 'rpc.server.call.duration',
    unit: 's',
    description: 'Duration of answered calls, by method and status',
  },
  requestDuration: {
    name: 'http.server.request.duration',
    unit: 's',
    description: 'Duration of answered requests, by method, route and status',
  },
  droppedLogLines: {
    name: 'billing.log.dropped',
    unit: '{line}',
    description: 'Log lines since the start of the process that could not be written',
  },
  droppedRequests: {
    name: 'billing.request_log.dropped',
    unit: '{request}',
    description:
      'Requests that are missing in the log that people look at; the requests themselves were answered',
  },
  activeRequests: {
    name: 'http.server.active_requests',
    unit: '{request}',
    description: 'Requests that run',
  },
  eventLoopDelay: {
    name: 'nodejs.eventloop.delay.p99',
    unit: 's',
    description: 'Event loop delay, 99th percentile since the last export',
  },
} as const;
