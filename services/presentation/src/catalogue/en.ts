import type { MailKind, MailText } from './mail-kind';

const greeting = 'Hello {{customer.name}},';

const mails: Readonly<Record<MailKind, MailText>> = {
  INVOICE_ISSUED: {
    subject:
      'Invoice {{invoice.number}}{{#seller.name}} from {{seller.name}}{{/seller.name}}: {{invoice.amountDue}}',
    body: `# Invoice {{invoice.number}}

${greeting}

Your invoice for {{invoice.amountDue}} is ready.{{#invoice.dueDate}} Please pay it by {{invoice.dueDate}}.{{/invoice.dueDate}}

{{#invoice.description}}- {{invoice.description}}{{/invoice.description}}

[View and pay the invoice]({{link}})`,
  },
  RECEIPT: {
    subject:
      'Receipt for invoice {{invoice.number}}{{#seller.name}} from {{seller.name}}{{/seller.name}}',
    body: `# Thank you for your payment

${greeting}

We have received your payment for invoice {{invoice.number}}.

- Total: {{invoice.total}}
{{#invoice.description}}- {{invoice.description}}{{/invoice.description}}
{{#invoice.paidAt}}- Paid on {{invoice.paidAt}}{{/invoice.paidAt}}

{{#link}}[View the invoice]({{link}}){{/link}}`,
  },
  PAYMENT_FAILED: {
    subject: 'Your payment of {{invoice.amountDue}} failed',
    body: `# Your payment failed

${greeting}

We could not collect {{invoice.amountDue}} for invoice {{invoice.number}}. {{payment.reason}}

{{#payment.nextAttemptAt}}We will try again on {{payment.nextAttemptAt}}. {{/payment.nextAttemptAt}}You can pay now, also with another card.

[Pay the invoice]({{link}})`,
  },
  ACTION_REQUIRED: {
    subject: 'Please confirm your payment of {{invoice.amountDue}}',
    body: `# Please confirm your payment

${greeting}

Your bank wants you to confirm the payment of {{invoice.amountDue}} for invoice {{invoice.number}}.

[Confirm the payment]({{link}})`,
  },
  PAYMENT_REMINDER: {
    subject: 'Reminder: invoice {{invoice.number}} is not paid',
    body: `# Invoice {{invoice.number}} is not paid

${greeting}

We have not received {{invoice.amountDue}} for invoice {{invoice.number}}{{#invoice.dueDate}}, which was due on {{invoice.dueDate}}{{/invoice.dueDate}}.

[View and pay the invoice]({{link}})`,
  },
  CREDIT_NOTE_ISSUED: {
    subject:
      'Credit note {{creditNote.number}}{{#seller.name}} from {{seller.name}}{{/seller.name}}',
    body: `# Credit note {{creditNote.number}}

${greeting}

We have credited {{creditNote.total}} of invoice {{invoice.number}}.

{{#link}}[View the invoice]({{link}}){{/link}}`,
  },
  CARD_EXPIRING: {
    subject: 'Your card expires soon',
    body: `# Your card expires soon

${greeting}

Your card{{#card}} {{card}}{{/card}} expires{{#card.expiry}} at the end of {{card.expiry}}{{/card.expiry}}. Please add another card before your next payment.

{{#link}}[Update the payment method]({{link}}){{/link}}`,
  },
  TRIAL_STARTED: {
    subject:
      'Your trial{{#subscription.product}} of {{subscription.product}}{{/subscription.product}} has started',
    body: `# Your trial has started

${greeting}

Your trial{{#subscription.product}} of {{subscription.product}}{{/subscription.product}} lasts until {{subscription.trialEnd}}. After it, the subscription is charged.

{{#link}}[Manage the subscription]({{link}}){{/link}}`,
  },
  TRIAL_ENDING: {
    subject:
      'Your trial{{#subscription.product}} of {{subscription.product}}{{/subscription.product}} ends on {{subscription.trialEnd}}',
    body: `# Your trial ends soon

${greeting}

Your trial{{#subscription.product}} of {{subscription.product}}{{/subscription.product}} ends on {{subscription.trialEnd}}.{{#subscription.upcomingAmount}} You will then be charged {{subscription.upcomingAmount}}.{{/subscription.upcomingAmount}}

{{#link}}[Manage the subscription]({{link}}){{/link}}`,
  },
  RENEWAL_UPCOMING: {
    subject: 'Your subscription renews on {{subscription.upcomingAt}}',
    body: `# Your subscription renews soon

${greeting}

Your subscription{{#subscription.product}} of {{subscription.product}}{{/subscription.product}} renews on {{subscription.upcomingAt}}. You will then be charged {{subscription.upcomingAmount}}.

{{#link}}[Manage the subscription]({{link}}){{/link}}`,
  },
  CANCELLATION_SCHEDULED: {
    subject: 'Your subscription ends on {{subscription.endsAt}}',
    body: `# Your subscription will end

${greeting}

Your subscription{{#subscription.product}} of {{subscription.product}}{{/subscription.product}} is canceled. It stays active until {{subscription.endsAt}}.

{{#link}}[Manage the subscription]({{link}}){{/link}}`,
  },
  SUBSCRIPTION_CANCELED: {
    subject: 'Your subscription has ended',
    body: `# Your subscription has ended

${greeting}

Your subscription{{#subscription.product}} of {{subscription.product}}{{/subscription.product}} has ended{{#subscription.endsAt}} on {{subscription.endsAt}}{{/subscription.endsAt}}. It is not charged any more.`,
  },
  PORTAL_LINK: {
    subject: 'Your sign-in link{{#seller.name}} to {{seller.name}}{{/seller.name}}',
    body: `# Your sign-in link

${greeting}

Open the billing portal with this link. It works once, within an hour.

[Open the portal]({{link}})

If you did not ask for this link, ignore this email.`,
  },
};

const phrases = {
  // Frame of pages.
  'page.testMode': 'Test mode',
  'page.testModeNote': 'No real charges.',
  'footer.questions': 'Questions?',
  'footer.support': 'Support',
  'footer.terms': 'Terms',
  'footer.privacy': 'Privacy',
  'footer.languages': 'Languages',
  'failure.didNotWork': 'That did not work',
  'failure.unreadable': 'The form could not be read. Please try again.',
  'failure.foreignForm':
    'The form was sent from another site. Please open the page again and retry there.',
  'failure.notFoundTitle': 'Page not found',
  'failure.notFound': 'This page does not exist. Please check the address, or contact the seller.',
  'failure.unsupportedAction': 'This page does not support that action.',
  'failure.conflict': 'This is no longer possible. Please open the page again.',
  'failure.tooLong': 'Your input is too long.',
  'failure.tooManyTitle': 'Too many requests',
  'failure.tooMany': 'Please wait a moment and try again.',
  'failure.unavailableTitle': 'Temporarily unavailable',
  'failure.unavailable':
    'Please try again in a moment. If you were paying, check the page first: your payment may have gone through.',
  'failure.faultTitle': 'Something went wrong',
  'failure.fault':
    'The error is on our side. If you were paying, check the page first: your payment may have gone through.',
  'failure.back': 'Back to the page',

  // Forms.
  labeled: '{label}: {text}',
  sentences: '{first} {second}',
  'form.optional': '(optional)',
  'form.fixFields': 'Please fix the fields below',
  'form.form': 'Form',
  'form.continue': 'Continue',
  'form.confirm': 'Confirm',
  'form.save': 'Save',
  'form.cancelBack': 'Cancel and go back',
  'field.name': 'Name',
  'field.email': 'Email',
  'field.phone': 'Phone',
  'field.language': 'Language',
  'field.languageAutomatic': 'As in your browser',
  'field.quantity': 'Quantity',
  'field.product': 'Product',
  'field.plan': 'Plan',
  'field.country': 'Country',
  'field.company': 'Name or company',
  'field.taxId': 'VAT or tax id',
  'field.taxIdHint': 'For businesses, with the country in front, such as DE136695976.',
  'field.emailOrderHint': 'For your invoice and updates about your order.',
  'field.emailPortalHint': 'For your invoices and updates about your subscription.',
  'field.quantityRange': 'From {min} to {max}',
  'field.quantityPlanHint': 'For plans that are priced per unit.',
  'address.address': 'Address',
  'address.line1': 'Street and number',
  'address.line2': 'Apartment, suite',
  'address.postalCode': 'Postal code',
  'address.city': 'City',
  'address.state': 'State or region',
  'problem.discountCode': 'This code is not valid.',
  'problem.required': 'Required',
  'problem.email': 'Invalid email',
  'problem.country': 'Invalid country',
  'problem.taxId': 'Invalid VAT or tax id',
  'problem.tooLong': 'Must be at most {max} characters',
  'problem.controlCharacters': 'Must not contain control characters',
  'problem.expiryFormat': 'Must be MM/YY',
  'problem.cardExpired': 'The card has expired',
  'problem.codeDigits': 'Must have 3 or 4 digits',
  'problem.testCardsOnly': 'Only test cards are accepted here',
  'problem.wholeNumber': 'Must be a whole number from {min, number} to {max, number}',
  'problem.totalTooLarge': 'The total exceeds the maximum amount',
  'problem.choosePlan': 'Please choose a plan',
  'problem.planGone': 'This plan is no longer available',
  'problem.locale': 'Unsupported language',
  'problem.other': 'Please check this field',

  // Cards and payments.
  'card.number': 'Card number',
  'card.expiry': 'Expires',
  'card.expiryHint': 'MM/YY',
  'card.code': 'Security code',
  'card.codeHint': '3 or 4 digits',
  'card.holder': 'Name on card',
  'card.totalChanged': 'The total has changed.',
  'card.nothingCharged': 'Nothing was charged.',
  'card.unavailable': 'Card payments are not available right now. Please contact the seller.',
  'card.atProvider': 'You enter your card on the page of our payment provider, then return here.',
  'card.toProvider': 'Continue to card details',
  'card.providerTitle': 'Card details',
  'card.providerText':
    'You enter your card on the page of our payment provider. If the page does not open automatically, use the button below.',
  'card.ready': 'Your card is ready',
  'card.useAnother': 'Use another card',
  'card.testCards': 'Test cards',
  'card.testCardsHint':
    'Use any future expiry date and any security code. Other card numbers are rejected.',
  'card.testNumber': 'Number',
  'card.testEffect': 'Effect',
  'testCard.succeeds': 'succeeds',
  'testCard.succeedsMastercard': 'succeeds (Mastercard)',
  'testCard.challenge': 'requires 3-D Secure once',
  'testCard.challengeDeclined': 'requires 3-D Secure, then is declined',
  'testCard.declined': 'is declined',
  'testCard.insufficientFunds': 'has insufficient funds',
  'testCard.processingError': 'fails with a processing error',
  'testCard.expired': 'has expired',
  'testCard.lost': 'was lost',
  'testCard.stolen': 'was stolen',
  'testCard.laterFails': 'is saved, but every later charge fails',
  'testCard.renewalFails': 'fails at the first two renewals, then succeeds',
  'testCard.belowMinimum': 'cannot be charged amounts below 50 smallest units',
  'testCard.refunded': 'is refunded a day later',
  'testCard.notRefundable': 'cannot be refunded',
  'testCard.disputeLost': 'is disputed a day later, and the dispute is lost',
  'testCard.disputeWon': 'is disputed a day later, and the dispute is won',
  'card.endingIn': '{brand} ending in {last4}',
  'card.expires': 'Expires {date}.',
  'card.expired': 'Expired {date}.',
  'payment.pay': 'Pay {amount}',
  'payment.payByCard': 'Pay by card',
  'payment.lastFailed': 'The last payment failed',
  'payment.failed': 'The payment failed',
  'payment.processing': 'Your payment is being processed',
  'payment.processingText': 'This takes a moment. The page refreshes automatically.',
  'payment.refresh': 'Refresh',
  'challenge.paymentTitle': 'Confirm your payment',
  'challenge.cardTitle': 'Confirm your card',
  'challenge.payment': 'Your bank asks you to confirm the payment of {amount} (3-D Secure).',
  'challenge.card':
    'Your bank asks you to confirm that later payments may be charged to your card (3-D Secure).',
  'challenge.testMode': 'Test mode: choose an outcome.',
  'challenge.toBank': 'Continue to your bank',
  'challenge.approve': 'Approve',
  'challenge.decline': 'Decline',
  'challenge.bankTitle': 'Confirm with your bank',
  'challenge.bankText':
    'Your bank asks you to confirm this payment. If the page does not open automatically, use the button below.',
  'payerMessage.card_declined': 'Your card was declined.',
  'payerMessage.insufficient_funds': 'Your card has insufficient funds.',
  'payerMessage.processing_error': 'Your card could not be processed. Please try again.',
  'payerMessage.authentication_required':
    'Your bank did not confirm the payment. Please try again.',
  'payerMessage.expired_card': 'Your card has expired.',
  'payerMessage.card_not_supported': 'Your card is not supported. Please use another one.',
  'payerMessage.currency_not_supported':
    'Your card does not support this currency. Please use another one.',
  'payerMessage.payment_method_unavailable':
    'Your card can no longer be charged. Please use another one.',
  'payerMessage.amount_not_supported': 'This amount cannot be paid by card.',
  'payerMessage.no_payment_method': 'No payment method is saved.',
  'payerMessage.no_payment_provider': 'Payments are not available right now.',
  'payerMessage.other': 'Your payment failed. Please try again.',

  // Invoices and credit notes.
  'invoice.invoice': 'Invoice',
  'invoice.title': 'Invoice {number}',
  'invoice.number': 'Number',
  'invoice.date': 'Date',
  'invoice.due': 'Due',
  'invoice.period': 'Period',
  'invoice.purchaseOrder': 'Purchase order',
  'invoice.order': 'Order',
  'invoice.from': 'From',
  'invoice.billedTo': 'Billed to',
  'invoice.downloadPdf': 'Download as PDF',
  'invoice.bankTransfer': 'Bank transfer',
  'invoice.open': 'Open',
  'invoice.paid': 'Paid',
  'invoice.void': 'Void',
  'invoice.uncollectible': 'Uncollectible',
  'invoice.draft': 'Draft',
  'invoice.paidText': 'Thank you. This invoice is paid.',
  'invoice.paidOn': 'Thank you. This invoice is paid. Payment received on {date}.',
  'invoice.settledOn': 'Thank you. This invoice is paid. Settled on {date}.',
  'invoice.voidText': 'This invoice was voided. You owe nothing.',
  'invoice.uncollectibleText':
    'This invoice can no longer be paid here. Please contact the seller.',
  'invoice.description': 'Description',
  'invoice.quantity': 'Quantity',
  'invoice.unitPrice': 'Unit price',
  'invoice.amount': 'Amount',
  'invoice.each': '{rate} each',
  'invoice.showCalculation': 'Show calculation',
  'invoice.subtotal': 'Subtotal',
  'invoice.total': 'Total',
  'invoice.amountDue': 'Amount due',
  'invoice.dueToday': 'Due today',
  'invoice.discount': 'Discount: {name}',
  'invoice.tax': 'Tax',
  'invoice.taxOn': '{name} {percent}% on {amount}',
  'invoice.includes': 'Includes {tax}',
  'invoice.legalTaxOn': '{text}, 0% on {amount}',
  'invoice.balanceApplied': 'Balance applied',
  'invoice.amountPaid': 'Paid',
  'invoice.credited': 'Credited',
  'invoice.notPaid': 'Not paid',
  'invoice.registrationNumber': 'Registration number: {number}',
  'invoice.reference': 'Reference: {reference}',
  'invoice.taxIdLine': 'Tax id: {id}',
  'invoice.taxIdLabel': 'Tax id',
  'invoice.accountHolder': 'Account holder: {holder}',
  'invoice.iban': 'IBAN: {iban}',
  'invoice.bic': 'BIC: {bic}',
  'invoice.paymentReference': 'Payment reference: {number}',
  'line.trial': '{product} (trial, {days, plural, one {# day} other {# days}})',
  'line.unusedTime': 'Unused time on {product}',
  'line.remainingTime': 'Remaining time on {product}',
  'creditNote.creditNotes': 'Credit notes',
  'creditNote.creditNote': 'Credit note',
  'creditNote.title': 'Credit note {number}',
  'creditNote.notNumbered': 'Not numbered yet',
  'creditNote.invoiceOf': '{number} of {date}',
  'creditNote.creditedTo': 'Credited to',
  'creditNote.net': 'Net',
  'creditNote.totalCredited': 'Total credited',
  'creditNote.reduced': 'Taken off the amount due',
  'creditNote.toBalance': 'Added to your balance',
  'creditNote.refunded': 'Refunded to your card',
  'creditNote.external': 'Returned in another way',
  'creditNote.unsettled': 'Refund failed, please contact the seller',
  'pdf.testMark': 'TEST: a sandbox document, not a demand for payment',
  'pdf.payInvoice': 'Pay this invoice',
  'pdf.page': 'Page {page} of {pages}',
  'pdf.paid': '{amount} paid.',
  'pdf.paidOn': '{amount} paid on {date}.',
  'pdf.creditNote': 'Credit note {number}: {amount}',
  'pdf.creditNoteOn': 'Credit note {number} on {date}: {amount}',

  // Purchases.
  'session.payFor': 'Pay for {product}',
  'session.yourCountry': 'Your country',
  'session.countryText': 'The tax depends on where you are based.',
  'session.confirmOrder': 'Confirm your order',
  'session.addCode': 'Add a discount code',
  'session.discountCode': 'Discount code',
  'session.applyCode': 'Apply',
  'session.codeApplied': 'Discount {discount} is applied.',
  'session.removeCode': 'Remove',
  'session.paymentRunning': 'A payment is running.',
  'session.addTaxId': 'Add a VAT or tax id',
  'session.updateTotal': 'Update the total',
  'session.discountTitle': 'Discount not available',
  'session.discountGone':
    'The discount of this offer is not available right now. You pay the full price.',
  'session.nothingDue': 'Nothing is due. No card is needed.',
  'session.nothingDueToday': 'Nothing is due today.',
  'session.cardForLater': 'Nothing is charged today. Your card is saved for later payments.',
  'session.withoutCard': 'Without a card, later payments will fail until you add one.',
  'session.startTrial': 'Start free trial',
  'session.confirmed': 'Confirmed',
  'session.thankYou': 'Thank you',
  'session.paymentReceived': 'Your payment has been received.',
  'session.orderConfirmed': 'Your order is confirmed. Nothing was charged.',
  'session.downloadInvoice': 'Download invoice {number} (PDF)',
  'session.expired': 'This checkout has expired',
  'session.expiredTitle': 'Checkout expired',
  'session.expiredText':
    "You were not charged. To continue, return to the seller's site and start a new checkout.",
  'session.dueToday': 'due today',
  'session.estimatedToday': 'estimated, due today',
  'session.quantity': 'Quantity: {quantity}',
  'session.quantityAt': 'Quantity: {quantity} × {rate}',
  'link.toPayment': 'Continue to payment',
  'link.updatePrices': 'Update prices',
  'link.discountNext': 'The discount is applied on the next page.',
  'link.discountSome':
    'The discount on {products} is applied on the next page. You pay the full price for everything else.',
  'link.ended': 'This offer has ended',
  'link.endedText': 'This link is no longer active. Please contact the seller.',
  'link.yourOrder': 'Your order',
  'link.chooseProduct': 'Choose a product',
  'link.quantityFor': '{quantity} for {terms}',

  // Terms in words.
  'every.day': '{count, plural, one {every day} other {every # days}}',
  'every.week': '{count, plural, one {every week} other {every # weeks}}',
  'every.month': '{count, plural, one {every month} other {every # months}}',
  'every.year': '{count, plural, one {every year} other {every # years}}',
  'terms.plusTax': '{amount} plus tax',
  'terms.includingTax': '{amount} including tax',
  'terms.once': '{amount} once',
  'terms.oneTime': 'One-time payment. Nothing is charged later.',
  'terms.recurring': '{amount} {recurrence}',
  'terms.recurringFrom': '{amount} {recurrence} from {date}',
  'terms.today': '{amount} today',
  'terms.onDate': '{amount} on {date}',
  'terms.free': '{days, plural, one {# day} other {# days}} free',
  'terms.then': '{first}, then {next}',
  'terms.laterAfterOnce': 'Then {next}',
  'terms.laterAfterRenewals': 'The same at each renewal, then {next}',
  'terms.plusUsage': '{terms}, plus usage',
  'terms.renews': 'Renews {recurrence}.',
  'terms.renewsSame': 'Renews {recurrence} at the same price.',
  'terms.nextRenewal': 'Next renewal on {date}. Cancel anytime.',
  'terms.nextCharge': 'Next charge on {date}. Cancel anytime.',
  'terms.nextUsageCharge': 'Next usage charge on {date}. Cancel anytime.',
  'terms.nextChargePlusUsage': 'Next charge plus usage on {date}. Cancel anytime.',
  'terms.usageBilled': 'Usage is billed afterwards, {recurrence}:',
  'terms.usageAfterTrial': 'Usage after the trial is billed afterwards, {recurrence}:',
  'terms.each': '{rate} each',
  'terms.eachPlus': '{rate} each, plus {flat}',
  'terms.allUnits': 'All units {range}: {rate}',
  'terms.someUnits': 'Units {range}: {rate}',
  'terms.above': 'above {from}',
  'terms.upTo': 'up to {to}',
  'terms.aboveUpTo': 'above {from} up to {to}',
  'terms.anyNumber': 'of any number',
  'usage.usage': 'Usage',
  'usage.named': '{name}: {terms}',
  'usage.included': '{quantity} included {recurrence}, then {terms}',
  'usage.package': '{rate} per {size}, rounded up',
  'usage.range': 'from {least} to {most} each, depending on the volume',
  'usage.plusFlat': '{terms}, plus up to {flat} per tier',
  'usage.atLeast': '{terms}, at least {least} {recurrence}',
  'usage.atMost': '{terms}, at most {most} {recurrence}',
  'usage.atLeastAtMost': '{terms}, at least {least} and at most {most} {recurrence}',

  // Portal.
  'portal.billing': 'Billing',
  'portal.pageTitle': '{title} · Billing',
  'portal.skip': 'Skip to content',
  'portal.backTo': 'Back to {host}',
  'portal.signOut': 'Sign out',
  'portal.overview': 'Overview',
  'portal.usage': 'Usage',
  'portal.invoices': 'Invoices',
  'portal.paymentMethods': 'Payment methods',
  'portal.contactDetails': 'Contact details',
  'portal.shortPayment': 'Payment',
  'portal.shortContact': 'Contact',
  'done.card-added': 'The card was added.',
  'done.card-removed': 'The card was removed.',
  'done.canceled': 'Your subscription will end when the current period ends.',
  'done.ended': 'Your subscription is canceled. You are charged nothing.',
  'done.kept': 'Your subscription will renew as usual.',
  'done.default-changed': 'This card is now your default.',
  'done.details-saved': 'Your details were saved.',
  'done.plan-changed': 'Your plan was changed.',
  'done.plan-scheduled': 'Your plan will change when the current period ends.',
  'done.plan-paying': 'Your payment is being processed. Your plan changes once it is paid.',
  'done.plan-kept': 'You keep your current plan.',
  'signIn.askTitle': 'Sign in to the billing portal',
  'signIn.askText': 'We send you a link that opens the portal.',
  'signIn.send': 'Send the link',
  'signIn.sentTitle': 'Check your email',
  'signIn.sentText': 'If we know this address, we have sent a link to it.',
  'signIn.title': 'Your billing portal',
  'signIn.text': 'View your subscriptions, usage and invoices, and manage your payment methods.',
  'signIn.open': 'Open the portal',
  'signIn.once': 'This link works only once. Do not share it.',
  'signIn.used': 'This link was already used',
  'signIn.expired': 'This link has expired',
  'signIn.newLink':
    'A portal link works only once and expires after an hour. Please request a new link where you found this one.',
  'signIn.usedHere': 'If you opened it in this browser, {link}.',
  'signIn.continue': 'continue to the portal',
  'signIn.signedOut': 'You are signed out',
  'signIn.signedOutText': 'You need a new link to open the portal again.',
  'signIn.back': 'Go back',
  'signIn.sessionExpired': 'Your session has expired',
  'signIn.sessionExpiredText':
    'A portal session lasts an hour. Please request a new link where you found the last one.',
  'overview.noSubscriptions': 'No subscriptions',
  'overview.noSubscriptionsText': 'You have no active subscriptions. See your {invoices}.',
  'overview.invoicesLink': 'invoices',
  'overview.overdue': 'A payment is overdue',
  'overview.openInvoices': 'Open invoices',
  'overview.overdueText': 'Please pay it or add another card to keep your subscription.',
  'overview.balance': 'Balance',
  'overview.balanceText': 'Your balance is {amounts}. Your next invoices use it first.',
  'overview.fixPayment': 'Fix payment',
  'overview.pay': 'Pay',
  'overview.ofInvoice': ' of invoice {number}',
  'overview.nextInvoice': 'Next invoice',
  'overview.nextCharge': 'Next charge',
  'overview.amountOn': '{amount} on {date}',
  'overview.discountOff': '{name}: {amount} off',
  'overview.usageSoFar': 'Usage so far',
  'overview.about': 'about {amount}',
  'overview.estimate': 'Estimate.',
  'overview.estimateBefore': 'Estimate before discounts.',
  'overview.billedAtEnd': 'Billed when the subscription ends.',
  'overview.addedToNext': 'Added to the next invoice.',
  'overview.seeUsage': 'See usage',
  'overview.chargedTo': 'Charged to {card}.',
  'overview.changePaying': 'Your change to {plan}, is being paid.',
  'overview.changeAt': 'Changes to {plan}, on {date}.',
  'overview.keepPlan': 'Keep current plan',
  'overview.pausesOn': 'Pauses on {date}.',
  'overview.pausedSince': 'Paused since {since}.',
  'overview.pausedUntil': 'Paused since {since}. It resumes on {date}.',
  'overview.changePlan': 'Change plan',
  'overview.cancelSubscription': 'Cancel subscription',
  'overview.endsOn': 'Your subscription ends on {date} and does not renew.',
  'overview.keepSubscription': 'Keep subscription',
  'overview.paymentMethod': 'Payment method',
  'overview.invoicesSent': 'Invoices are sent to you. Please pay each invoice by its due date.',
  'overview.noCard': 'No card is saved. Add a card to pay for your subscription.',
  'overview.cardCharged': '{card} is charged.',
  'overview.cardChargedExcept':
    '{card} is charged, except for subscriptions that show another card.',
  'overview.managePaymentMethods': 'Manage payment methods',
  'overview.billingDetails': 'Billing details',
  'overview.editDetails': 'Edit contact details',
  'overview.ended': 'Ended',
  'overview.endedOn': 'ended {date}',
  'status.pastDue': 'Past due',
  'status.ending': 'Ending',
  'status.trial': 'Trial',
  'status.scheduled': 'Scheduled',
  'status.paused': 'Paused',
  'status.active': 'Active',
  'usagePage.tooMuch': 'over the maximum invoice amount',
  'usagePage.none': 'Your plan has no usage-based charges.',
  'usagePage.units': 'units',
  'usagePage.amount': '{quantity} {units}',
  'usagePage.included': '{quantity} of {included} {units} included',
  'usagePage.credits': 'Prepaid credits: {remaining} of {granted} {units} left',
  'usagePage.additional': 'Additional usage: {quantity} {units}',
  'usagePage.additionalCost': 'Additional usage: {quantity} {units}, {cost}',
  'usagePage.cost': 'Cost: {cost}',
  'usagePage.aboutSoFar': 'about {amount} so far',
  'invoices.none': 'There are no invoices yet.',
  'invoices.status': 'Status',
  'invoices.pdfOf': ' of {number}',
  'invoices.theInvoice': 'the invoice',
  'invoices.pages': 'Pages of invoices',
  'invoices.newer': 'Newer',
  'invoices.older': 'Older',
  'invoices.page': 'Page {page} of {pages}',
  'invoices.purchaseOpen': 'This invoice belongs to a purchase that is not complete.',
  'invoices.continuePurchase': 'Continue the purchase',
  'invoices.payWithThisCard': 'Pay {amount} with this card',
  'invoices.payThis': 'Pay this invoice',
  'invoices.payWithAnother': 'Pay with another card',
  'invoices.savedCards': 'Saved cards',
  'methods.none': 'No card is saved.',
  'methods.add': 'Add a card',
  'methods.save': 'Save card',
  'methods.default': 'Default',
  'methods.savedOn': 'Saved on {date}.',
  'methods.defaultFirst': 'To remove this card, make another card the default first.',
  'methods.makeDefault': 'Make default',
  'methods.remove': 'Remove',
  'methods.useAsDefault': 'Use as default',
  'methods.openCharged': 'Open invoices are charged to this card now.',
  'methods.isDefault': 'Make another card the default first.',
  'methods.inUse': 'This card pays for a subscription that has not ended. Add another card first.',
  'methods.tooMany': 'You have reached the maximum number of saved cards. Remove one first.',
  'cancel.title': 'Cancel {product}?',
  'cancel.pageTitle': 'Cancel {product}',
  'cancel.scheduled':
    'Your subscription has not started yet. If you cancel now, it will not start on {date}, and you are charged nothing. This cannot be undone.',
  'cancel.running':
    'You keep access until {date}. Your subscription does not renew. You can undo the cancellation until then.',
  'cancel.usage': 'Usage beyond what is included is still billed.',
  'cancel.now': 'Cancel now',
  'cancel.atEnd': 'Cancel at the end of the period',
  'plan.change': 'Change your plan',
  'plan.notPossible': 'This change is not possible',
  'plan.current': 'Current plan: {plan}',
  'plan.named': '{name}, {terms}',
  'plan.noOther': 'No other plan is available for this subscription.',
  'plan.exactPrice': 'You see the exact price before anything is changed.',
  'plan.review': 'Review change',
  'plan.backToOverview': 'Back to the overview',
  'plan.yours': '{name} (your plan)',
  'plan.inTiers': '{quantity} units, priced in tiers',
  'plan.times': '{quantity} × {terms}',
  'plan.nothingToChange': 'This is your plan already.',
  'plan.changePaying': 'Another change is being paid. Please try again in a moment.',
  'plan.setToCancel': 'Your subscription is set to end. Keep it before you change it.',
  'plan.tooManyChanges': 'This subscription was changed too often in this period.',
  'plan.refused': 'Please choose another plan or contact the seller.',
  'review.title': 'Review your change',
  'review.now': 'Now',
  'review.then': 'Then',
  'review.starts': 'Starts',
  'review.stale': 'The price has changed since you looked.',
  'review.again': 'Please review again.',
  'review.notChanged': 'Your plan has not changed.',
  'review.today': 'Today',
  'review.untilThen': 'Until then you keep your current plan, and can undo this change.',
  'review.noCard': 'No card is saved. {addCard} first.',
  'review.addCard': 'Add a card',
  'review.chargedTo': 'Charged to {card}',
  'review.getInvoice': 'You get an invoice.',
  'review.takenOff': 'Taken off open invoices',
  'review.usageSoFar': 'Usage so far is included.',
  'review.usageUntilToday': 'Usage until today',
  'review.ownInvoice': 'On an invoice of its own.',
  'review.payAndChange': 'Pay {amount} and change plan',
  'review.confirm': 'Confirm change',
  'review.another': 'Choose another plan',

  // Mails.
  testMail: 'TEST: this email is from a test environment. No money moves.',
  contact: 'Questions? Write to {email}.',
  automaticMail:
    '{hasSeller, select, true {{seller} sends} other {We send}} this email automatically.',
  'paymentReason.card_declined': 'The card was declined.',
  'paymentReason.insufficient_funds': 'The card has insufficient funds.',
  'paymentReason.expired_card': 'The card has expired.',
  'paymentReason.card_not_supported': 'The card is not supported.',
  'paymentReason.currency_not_supported': 'The card does not support this currency.',
  'paymentReason.payment_method_unavailable': 'The card can no longer be charged.',
  'paymentReason.no_payment_method': 'No payment method is saved.',
  'paymentReason.other': 'The payment could not be processed.',
};

/** The English texts. */
export const en = { mails, phrases };
