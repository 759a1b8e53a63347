/**
 * All metric instruments. Names and units follow OpenTelemetry's conventions; other names begin
 * with `billing.`. Environments, customers and ids are never attributes, because their number is
 * unbounded.
 */
export const instruments = {
  ready: {
    name: 'billing.ready',
    unit: '{replica}',
    description: 'Readiness of a replica as reported by its probe: 1 = ready, 0 = not ready',
  },
  streamConnected: {
    name: 'billing.stream.connected',
    unit: '{replica}',
    description:
      'Connection of a replica to the event stream: 1 = connected, 0 = disconnected (events are delayed)',
  },
  streamReplicasMissing: {
    name: 'billing.stream.replicas.missing',
    unit: '{copy}',
    description: 'Replicas of the event stream that are missing or behind',
  },
  renewals: {
    name: 'billing.subscription.renewals',
    unit: '{renewal}',
    description: 'Renewals of due subscriptions into their next period',
  },
  renewalLag: {
    name: 'billing.subscription.renewal.lag',
    unit: 's',
    description:
      'Time from the instant of a renewal until its invoice was created, for environments on real time',
  },
  parkedSubscriptions: {
    name: 'billing.subscription.parked',
    unit: '{subscription}',
    description: 'Subscriptions that reached a limit and stopped renewing, by reason; alert on any',
  },
  payments: {
    name: 'billing.payments',
    unit: '{payment}',
    description: 'Payment attempts, by outcome',
  },
  notCharged: {
    name: 'billing.payments.not_charged',
    unit: '{invoice}',
    description:
      'Invoices that could not be charged for a reason other than their customer, by reason; alert on any',
  },
  waitingInvoices: {
    name: 'billing.invoices.awaiting_provider',
    unit: '{invoice}',
    description: 'Live invoices that wait for a payment provider to be configured; alert on any',
  },
  providerReports: {
    name: 'billing.payments.provider_reports',
    unit: '{report}',
    description:
      'Refunds, disputes and unexpected payments reported by a payment provider, by kind; alert on any',
  },
  unmatchedCharges: {
    name: 'billing.charges.unmatched',
    unit: '{charge}',
    description:
      'Charges of the provider that a restore could not match to an invoice and that are not refunded; alert on any',
  },
  webhookLag: {
    name: 'billing.webhook.lag',
    unit: 's',
    description: 'Time from the acceptance of a message to the first attempt at each endpoint',
  },
  outboxAge: {
    name: 'billing.outbox.age',
    unit: 's',
    description: 'Age of the oldest waiting outbox, by aggregate',
  },
  dueBacklog: {
    name: 'billing.due_work.backlog',
    unit: '{document}',
    description: 'Documents with due work in real time, by aggregate and kind of work',
  },
  dueAge: {
    name: 'billing.due_work.age',
    unit: 's',
    description: 'Time since the oldest due document became due, by aggregate and kind of work',
  },
  poisonMessages: {
    name: 'billing.poison_messages',
    unit: '{message}',
    description: 'Unreadable messages moved to the poison messages, by consumer; alert on any',
  },
  missingEvents: {
    name: 'billing.events.missing',
    unit: '{aggregate}',
    description:
      'Aggregates whose events have waited more than two minutes for an earlier event missing from every log',
  },
  databasesWentBack: {
    name: 'billing.databases.went_back',
    unit: '{database}',
    description:
      'Databases that lack event log entries of the last day that the notifier has read; alert on any',
  },
  mailAge: {
    name: 'billing.mail.age',
    unit: 's',
    description: 'Time since the oldest live mail that waits for the mail server was made',
  },
  settlementAge: {
    name: 'billing.settlement.age',
    unit: 's',
    description: 'Run time of the longest-running usage settlement of a replica',
  },
  clockSkew: {
    name: 'billing.clock.skew',
    unit: 's',
    description: 'Difference between the clock of a replica and the database, positive = ahead',
  },
  openCredits: {
    name: 'billing.credits.open',
    unit: '{grant}',
    description: 'Credit grants that are not closed, in the live account that has most of them',
  },
  usageFlushes: {
    name: 'billing.usage.flushes',
    unit: '{flush}',
    description: 'Insert commands of usage events, by outcome',
  },
  usageFlushDuration: {
    name: 'billing.usage.flush.duration',
    unit: 's',
    description: 'Time from the start of a flush of usage events until its events are counted',
  },
  usageEpochLag: {
    name: 'billing.usage.epoch.lag',
    unit: '{epoch}',
    description: 'Epochs of usage that are not over yet; grows while a dead slot is not recovered',
  },
  usageGenerationsAhead: {
    name: 'billing.usage.generations.ahead',
    unit: 's',
    description: 'Time for which events that arrive have a generation of their month',
  },
  usageSlots: {
    name: 'billing.usage.slots',
    unit: '{slot}',
    description: 'Slots of all writers of usage events, by state',
  },
  usageEvents: {
    name: 'billing.usage.events',
    unit: '{event}',
    description: 'Usage events of answered batches, by outcome',
  },
  usageParts: {
    name: 'billing.usage.parts',
    unit: '{part}',
    description: 'Parts of the largest series that a replica folded since the last export',
  },
  usageFoldAge: {
    name: 'billing.usage.fold.age',
    unit: 's',
    description: 'Time since the series that has waited longest for its fold became due',
  },
  usageFoldSeries: {
    name: 'billing.usage.fold.series',
    unit: '{series}',
    description: 'Series of usage that are due for a fold, at most 10,000',
  },
  usageRawReads: {
    name: 'billing.usage.reads.raw',
    unit: '{read}',
    description: 'Reads of usage that counted raw events, by reason',
  },
  usageReadsIncomplete: {
    name: 'billing.usage.reads.incomplete',
    unit: '{read}',
    description: 'Reads of usage that failed because they need events that were dropped',
  },
  usageAuditHours: {
    name: 'billing.usage.audit.hours',
    unit: '{hour}',
    description:
      'Hours and wrong spans of usage that were counted again, by result; alert on any mismatch',
  },
  distinctWaiting: {
    name: 'billing.usage.distinct.waiting',
    unit: '{read}',
    description: 'Reads of many distinct values that wait for others in a replica',
  },
  settlementDuration: {
    name: 'billing.usage.settlement.duration',
    unit: 's',
    description: 'Run time of usage settlements',
  },
  droppedCredits: {
    name: 'billing.subscription.credits.dropped',
    unit: '{subscription}',
    description: 'Subscriptions whose last bill left a credit of the customer unsettled',
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
    description: 'Log lines that could not be written since the process started',
  },
  diskFree: {
    name: 'billing.disk.free_share',
    unit: '{share}',
    description: 'Free share of the disk of the databases, 0 to 1, where a service can see it',
  },
  certificateRemaining: {
    name: 'billing.certificate.remaining',
    unit: 's',
    description: 'Time until the certificate expires by which a replica calls and is called',
  },
  missingIndexes: {
    name: 'billing.indexes.missing',
    unit: '{index}',
    description: 'Indexes of large collections that a replica waits for before it serves',
  },
  backupAge: {
    name: 'billing.backup.age',
    unit: 's',
    description: 'Time since the last complete backup by npm run backup; none before the first one',
  },
  invariantFindings: {
    name: 'billing.invariants.findings',
    unit: '{finding}',
    description: 'Findings of a check of the invariants, exported once when it ends; alert on any',
  },
  wrongSecrets: {
    name: 'billing.secrets.mismatches',
    unit: '{secret}',
    description: 'Secrets at a start that are not those the data was written with; alert on any',
  },
  droppedRequests: {
    name: 'billing.request_log.dropped',
    unit: '{request}',
    description: 'Requests missing from the request log; the requests themselves were answered',
  },
  activeRequests: {
    name: 'http.server.active_requests',
    unit: '{request}',
    description: 'Requests in flight',
  },
  eventLoopDelay: {
    name: 'nodejs.eventloop.delay.p99',
    unit: 's',
    description: 'Event loop delay, 99th percentile since the last export',
  },
} as const;
