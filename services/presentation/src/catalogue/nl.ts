import type { Catalogue } from './catalogue';

const greeting = 'Beste {{customer.name}},';

/** The Dutch texts. */
export const nl: Catalogue = {
  mails: {
    INVOICE_ISSUED: {
      subject:
        'Factuur {{invoice.number}}{{#seller.name}} van {{seller.name}}{{/seller.name}}: {{invoice.amountDue}}',
      body: `# Factuur {{invoice.number}}

${greeting}

Uw factuur van {{invoice.amountDue}} staat klaar.{{#invoice.dueDate}} Betaal deze uiterlijk op {{invoice.dueDate}}.{{/invoice.dueDate}}

{{#invoice.description}}- {{invoice.description}}{{/invoice.description}}

[Factuur bekijken en betalen]({{link}})`,
    },
    RECEIPT: {
      subject:
        'Betaalbewijs voor factuur {{invoice.number}}{{#seller.name}} van {{seller.name}}{{/seller.name}}',
      body: `# Bedankt voor uw betaling

${greeting}

Wij hebben uw betaling voor factuur {{invoice.number}} ontvangen.

- Totaal: {{invoice.total}}
{{#invoice.description}}- {{invoice.description}}{{/invoice.description}}
{{#invoice.paidAt}}- Betaald op {{invoice.paidAt}}{{/invoice.paidAt}}

{{#link}}[Factuur bekijken]({{link}}){{/link}}`,
    },
    PAYMENT_FAILED: {
      subject: 'Uw betaling van {{invoice.amountDue}} is mislukt',
      body: `# Uw betaling is mislukt

${greeting}

Wij konden {{invoice.amountDue}} voor factuur {{invoice.number}} niet afschrijven. {{payment.reason}}

{{#payment.nextAttemptAt}}Wij proberen het opnieuw op {{payment.nextAttemptAt}}. {{/payment.nextAttemptAt}}U kunt nu betalen, ook met een andere kaart.

[Factuur betalen]({{link}})`,
    },
    ACTION_REQUIRED: {
      subject: 'Bevestig uw betaling van {{invoice.amountDue}}',
      body: `# Bevestig uw betaling

${greeting}

Uw bank vraagt u de betaling van {{invoice.amountDue}} voor factuur {{invoice.number}} te bevestigen.

[Betaling bevestigen]({{link}})`,
    },
    PAYMENT_REMINDER: {
      subject: 'Herinnering: factuur {{invoice.number}} is niet betaald',
      body: `# Factuur {{invoice.number}} is niet betaald

${greeting}

Wij hebben {{invoice.amountDue}} voor factuur {{invoice.number}}{{#invoice.dueDate}}, die op {{invoice.dueDate}} is vervallen,{{/invoice.dueDate}} nog niet ontvangen.

[Factuur bekijken en betalen]({{link}})`,
    },
    CREDIT_NOTE_ISSUED: {
      subject:
        'Creditnota {{creditNote.number}}{{#seller.name}} van {{seller.name}}{{/seller.name}}',
      body: `# Creditnota {{creditNote.number}}

${greeting}

Wij hebben {{creditNote.total}} van factuur {{invoice.number}} gecrediteerd.

{{#link}}[Factuur bekijken]({{link}}){{/link}}`,
    },
    CARD_EXPIRING: {
      subject: 'Uw kaart verloopt binnenkort',
      body: `# Uw kaart verloopt binnenkort

${greeting}

Uw kaart{{#card}} {{card}}{{/card}} verloopt{{#card.expiry}} eind {{card.expiry}}{{/card.expiry}}. Voeg vóór uw volgende betaling een andere kaart toe.

{{#link}}[Betaalmethode bijwerken]({{link}}){{/link}}`,
    },
    TRIAL_STARTED: {
      subject:
        'Uw proefperiode{{#subscription.product}} van {{subscription.product}}{{/subscription.product}} is begonnen',
      body: `# Uw proefperiode is begonnen

${greeting}

Uw proefperiode{{#subscription.product}} van {{subscription.product}}{{/subscription.product}} duurt tot {{subscription.trialEnd}}. Daarna wordt het abonnement in rekening gebracht.

{{#link}}[Abonnement beheren]({{link}}){{/link}}`,
    },
    TRIAL_ENDING: {
      subject:
        'Uw proefperiode{{#subscription.product}} van {{subscription.product}}{{/subscription.product}} eindigt op {{subscription.trialEnd}}',
      body: `# Uw proefperiode eindigt binnenkort

${greeting}

Uw proefperiode{{#subscription.product}} van {{subscription.product}}{{/subscription.product}} eindigt op {{subscription.trialEnd}}.{{#subscription.upcomingAmount}} Dan wordt {{subscription.upcomingAmount}} in rekening gebracht.{{/subscription.upcomingAmount}}

{{#link}}[Abonnement beheren]({{link}}){{/link}}`,
    },
    RENEWAL_UPCOMING: {
      subject: 'Uw abonnement wordt verlengd op {{subscription.upcomingAt}}',
      body: `# Uw abonnement wordt binnenkort verlengd

${greeting}

Uw abonnement{{#subscription.product}} op {{subscription.product}}{{/subscription.product}} wordt verlengd op {{subscription.upcomingAt}}. Dan wordt {{subscription.upcomingAmount}} in rekening gebracht.

{{#link}}[Abonnement beheren]({{link}}){{/link}}`,
    },
    CANCELLATION_SCHEDULED: {
      subject: 'Uw abonnement eindigt op {{subscription.endsAt}}',
      body: `# Uw abonnement eindigt

${greeting}

Uw abonnement{{#subscription.product}} op {{subscription.product}}{{/subscription.product}} is opgezegd. Het blijft actief tot {{subscription.endsAt}}.

{{#link}}[Abonnement beheren]({{link}}){{/link}}`,
    },
    SUBSCRIPTION_CANCELED: {
      subject: 'Uw abonnement is beëindigd',
      body: `# Uw abonnement is beëindigd

${greeting}

Uw abonnement{{#subscription.product}} op {{subscription.product}}{{/subscription.product}} is{{#subscription.endsAt}} op {{subscription.endsAt}}{{/subscription.endsAt}} beëindigd. Er wordt niets meer in rekening gebracht.`,
    },
    PORTAL_LINK: {
      subject: 'Uw inloglink{{#seller.name}} voor {{seller.name}}{{/seller.name}}',
      body: `# Uw inloglink

${greeting}

Open het factureringsportaal met deze link. De link werkt één keer, binnen een uur.

[Portaal openen]({{link}})

Hebt u deze link niet aangevraagd, negeer deze e-mail dan.`,
    },
  },
  phrases: {
    // Frame of pages.
    'page.testMode': 'Testmodus',
    'page.testModeNote': 'Er wordt niets echt afgeschreven.',
    'footer.questions': 'Vragen?',
    'footer.support': 'Hulp',
    'footer.terms': 'Voorwaarden',
    'footer.privacy': 'Privacy',
    'footer.languages': 'Talen',
    'failure.didNotWork': 'Dat is niet gelukt',
    'failure.unreadable': 'Het formulier kon niet worden gelezen. Probeer het opnieuw.',
    'failure.foreignForm':
      'Het formulier is vanaf een andere site verzonden. Open de pagina opnieuw en probeer het daar.',
    'failure.notFoundTitle': 'Pagina niet gevonden',
    'failure.notFound':
      'Deze pagina bestaat niet. Controleer het adres of neem contact op met de verkoper.',
    'failure.unsupportedAction': 'Deze pagina ondersteunt die actie niet.',
    'failure.conflict': 'Dit is niet meer mogelijk. Open de pagina opnieuw.',
    'failure.tooLong': 'Uw invoer is te lang.',
    'failure.tooManyTitle': 'Te veel verzoeken',
    'failure.tooMany': 'Wacht een moment en probeer het opnieuw.',
    'failure.unavailableTitle': 'Tijdelijk niet beschikbaar',
    'failure.unavailable':
      'Probeer het zo meteen opnieuw. Was u aan het betalen, kijk dan eerst op de pagina: uw betaling kan al gelukt zijn.',
    'failure.faultTitle': 'Er is een fout opgetreden',
    'failure.fault':
      'De fout ligt bij ons. Was u aan het betalen, kijk dan eerst op de pagina: uw betaling kan al gelukt zijn.',
    'failure.back': 'Terug naar de pagina',

    // Forms.
    labeled: '{label}: {text}',
    sentences: '{first} {second}',
    'form.optional': '(optioneel)',
    'form.fixFields': 'Corrigeer de onderstaande velden',
    'form.form': 'Formulier',
    'form.continue': 'Doorgaan',
    'form.confirm': 'Bevestigen',
    'form.save': 'Opslaan',
    'form.cancelBack': 'Annuleren en teruggaan',
    'field.name': 'Naam',
    'field.email': 'E-mail',
    'field.phone': 'Telefoon',
    'field.language': 'Taal',
    'field.languageAutomatic': 'Zoals in de browser',
    'field.quantity': 'Aantal',
    'field.product': 'Product',
    'field.plan': 'Abonnementsvorm',
    'field.country': 'Land',
    'field.company': 'Naam of bedrijf',
    'field.taxId': 'Btw-nummer of fiscaal nummer',
    'field.taxIdHint': 'Voor bedrijven, met het land voorop, zoals DE136695976.',
    'field.emailOrderHint': 'Voor uw factuur en berichten over uw bestelling.',
    'field.emailPortalHint': 'Voor uw facturen en berichten over uw abonnement.',
    'field.quantityRange': 'Van {min} tot {max}',
    'field.quantityPlanHint': 'Voor abonnementsvormen met een prijs per eenheid.',
    'address.address': 'Adres',
    'address.line1': 'Straat en huisnummer',
    'address.line2': 'Toevoeging',
    'address.postalCode': 'Postcode',
    'address.city': 'Plaats',
    'address.state': 'Provincie of regio',
    'problem.discountCode': 'Deze code is niet geldig.',
    'problem.required': 'Verplicht',
    'problem.email': 'Ongeldig e-mailadres',
    'problem.country': 'Ongeldig land',
    'problem.taxId': 'Ongeldig btw-nummer of fiscaal nummer',
    'problem.tooLong': 'Maximaal {max} tekens',
    'problem.controlCharacters': 'Mag geen stuurtekens bevatten',
    'problem.expiryFormat': 'Moet de vorm MM/JJ hebben',
    'problem.cardExpired': 'De kaart is verlopen',
    'problem.codeDigits': 'Moet 3 of 4 cijfers hebben',
    'problem.testCardsOnly': 'Hier worden alleen testkaarten geaccepteerd',
    'problem.wholeNumber': 'Moet een geheel getal van {min, number} tot {max, number} zijn',
    'problem.totalTooLarge': 'Het totaal overschrijdt het maximumbedrag',
    'problem.choosePlan': 'Kies een abonnementsvorm',
    'problem.planGone': 'Deze abonnementsvorm is niet meer beschikbaar',
    'problem.locale': 'Taal niet ondersteund',
    'problem.other': 'Controleer dit veld',

    // Cards and payments.
    'card.number': 'Kaartnummer',
    'card.expiry': 'Geldig tot',
    'card.expiryHint': 'MM/JJ',
    'card.code': 'Beveiligingscode',
    'card.codeHint': '3 of 4 cijfers',
    'card.holder': 'Naam op de kaart',
    'card.totalChanged': 'Het totaal is gewijzigd.',
    'card.nothingCharged': 'Er is niets afgeschreven.',
    'card.unavailable':
      'Kaartbetalingen zijn momenteel niet mogelijk. Neem contact op met de verkoper.',
    'card.atProvider':
      'U voert uw kaart in op de pagina van onze betaaldienst en keert daarna hier terug.',
    'card.toProvider': 'Doorgaan naar kaartgegevens',
    'card.providerTitle': 'Kaartgegevens',
    'card.providerText':
      'U voert uw kaart in op de pagina van onze betaaldienst. Opent de pagina niet vanzelf, gebruik dan de knop hieronder.',
    'card.ready': 'Uw kaart is gereed',
    'card.useAnother': 'Andere kaart gebruiken',
    'card.testCards': 'Testkaarten',
    'card.testCardsHint':
      'Gebruik een willekeurige toekomstige vervaldatum en beveiligingscode. Andere kaartnummers worden geweigerd.',
    'card.testNumber': 'Nummer',
    'card.testEffect': 'Effect',
    'testCard.succeeds': 'slaagt',
    'testCard.succeedsMastercard': 'slaagt (Mastercard)',
    'testCard.challenge': 'vereist één keer 3-D Secure',
    'testCard.challengeDeclined': 'vereist 3-D Secure en wordt dan geweigerd',
    'testCard.declined': 'wordt geweigerd',
    'testCard.insufficientFunds': 'heeft onvoldoende saldo',
    'testCard.processingError': 'mislukt door een verwerkingsfout',
    'testCard.expired': 'is verlopen',
    'testCard.lost': 'is verloren',
    'testCard.stolen': 'is gestolen',
    'testCard.laterFails': 'wordt opgeslagen, maar elke latere afschrijving mislukt',
    'testCard.renewalFails': 'mislukt bij de eerste twee verlengingen en slaagt daarna',
    'testCard.belowMinimum': 'accepteert geen bedragen onder 50 kleinste eenheden',
    'testCard.refunded': 'wordt een dag later terugbetaald',
    'testCard.notRefundable': 'kan niet worden terugbetaald',
    'testCard.disputeLost': 'wordt een dag later betwist, en de betwisting wordt verloren',
    'testCard.disputeWon': 'wordt een dag later betwist, en de betwisting wordt gewonnen',
    'card.endingIn': '{brand} eindigend op {last4}',
    'card.expires': 'Geldig tot {date}.',
    'card.expired': 'Verlopen {date}.',
    'payment.pay': '{amount} betalen',
    'payment.payByCard': 'Met kaart betalen',
    'payment.lastFailed': 'De laatste betaling is mislukt',
    'payment.failed': 'De betaling is mislukt',
    'payment.processing': 'Uw betaling wordt verwerkt',
    'payment.processingText': 'Dit duurt een moment. De pagina wordt vanzelf vernieuwd.',
    'payment.refresh': 'Vernieuwen',
    'challenge.paymentTitle': 'Bevestig uw betaling',
    'challenge.cardTitle': 'Bevestig uw kaart',
    'challenge.payment': 'Uw bank vraagt u de betaling van {amount} te bevestigen (3-D Secure).',
    'challenge.card':
      'Uw bank vraagt u te bevestigen dat latere betalingen van uw kaart mogen worden afgeschreven (3-D Secure).',
    'challenge.testMode': 'Testmodus: kies een uitkomst.',
    'challenge.toBank': 'Doorgaan naar uw bank',
    'challenge.approve': 'Goedkeuren',
    'challenge.decline': 'Weigeren',
    'challenge.bankTitle': 'Bevestig bij uw bank',
    'challenge.bankText':
      'Uw bank vraagt u deze betaling te bevestigen. Opent de pagina niet vanzelf, gebruik dan de knop hieronder.',
    'payerMessage.card_declined': 'Uw kaart is geweigerd.',
    'payerMessage.insufficient_funds': 'Uw kaart heeft onvoldoende saldo.',
    'payerMessage.processing_error': 'Uw kaart kon niet worden verwerkt. Probeer het opnieuw.',
    'payerMessage.authentication_required':
      'Uw bank heeft de betaling niet bevestigd. Probeer het opnieuw.',
    'payerMessage.expired_card': 'Uw kaart is verlopen.',
    'payerMessage.card_not_supported': 'Uw kaart wordt niet ondersteund. Gebruik een andere.',
    'payerMessage.currency_not_supported':
      'Uw kaart ondersteunt deze valuta niet. Gebruik een andere.',
    'payerMessage.payment_method_unavailable':
      'Van uw kaart kan niet meer worden afgeschreven. Gebruik een andere.',
    'payerMessage.amount_not_supported': 'Dit bedrag kan niet met een kaart worden betaald.',
    'payerMessage.no_payment_method': 'Er is geen betaalmethode opgeslagen.',
    'payerMessage.no_payment_provider': 'Betalen is momenteel niet mogelijk.',
    'payerMessage.other': 'Uw betaling is mislukt. Probeer het opnieuw.',

    // Invoices and credit notes.
    'invoice.invoice': 'Factuur',
    'invoice.title': 'Factuur {number}',
    'invoice.number': 'Nummer',
    'invoice.date': 'Datum',
    'invoice.due': 'Vervaldatum',
    'invoice.period': 'Periode',
    'invoice.purchaseOrder': 'Inkoopordernummer',
    'invoice.order': 'Inkooporder',
    'invoice.from': 'Van',
    'invoice.billedTo': 'Gefactureerd aan',
    'invoice.downloadPdf': 'Als pdf downloaden',
    'invoice.bankTransfer': 'Bankoverschrijving',
    'invoice.open': 'Open',
    'invoice.paid': 'Betaald',
    'invoice.void': 'Ongeldig verklaard',
    'invoice.uncollectible': 'Oninbaar',
    'invoice.draft': 'Concept',
    'invoice.paidText': 'Bedankt. Deze factuur is betaald.',
    'invoice.paidOn': 'Bedankt. Deze factuur is betaald. Betaling ontvangen op {date}.',
    'invoice.settledOn': 'Bedankt. Deze factuur is betaald. Voldaan op {date}.',
    'invoice.voidText': 'Deze factuur is ongeldig verklaard. U hoeft niets te betalen.',
    'invoice.uncollectibleText':
      'Deze factuur kan hier niet meer worden betaald. Neem contact op met de verkoper.',
    'invoice.description': 'Omschrijving',
    'invoice.quantity': 'Aantal',
    'invoice.unitPrice': 'Prijs per eenheid',
    'invoice.amount': 'Bedrag',
    'invoice.each': '{rate} per stuk',
    'invoice.showCalculation': 'Berekening tonen',
    'invoice.subtotal': 'Subtotaal',
    'invoice.total': 'Totaal',
    'invoice.amountDue': 'Te betalen bedrag',
    'invoice.dueToday': 'Vandaag te betalen',
    'invoice.discount': 'Korting: {name}',
    'invoice.tax': 'Belasting',
    'invoice.taxOn': '{name} {percent}% over {amount}',
    'invoice.includes': 'Inclusief {tax}',
    'invoice.legalTaxOn': '{text}, 0% over {amount}',
    'invoice.balanceApplied': 'Verrekend tegoed',
    'invoice.amountPaid': 'Betaald',
    'invoice.credited': 'Gecrediteerd',
    'invoice.notPaid': 'Niet betaald',
    'invoice.registrationNumber': 'Registratienummer: {number}',
    'invoice.reference': 'Referentie: {reference}',
    'invoice.taxIdLine': 'Fiscaal nummer: {id}',
    'invoice.taxIdLabel': 'Fiscaal nummer',
    'invoice.accountHolder': 'Rekeninghouder: {holder}',
    'invoice.iban': 'IBAN: {iban}',
    'invoice.bic': 'BIC: {bic}',
    'invoice.paymentReference': 'Betalingskenmerk: {number}',
    'line.trial': '{product} (proefperiode, {days, plural, one {# dag} other {# dagen}})',
    'line.unusedTime': 'Ongebruikte tijd van {product}',
    'line.remainingTime': 'Resterende tijd van {product}',
    'creditNote.creditNotes': 'Creditnota’s',
    'creditNote.creditNote': 'Creditnota',
    'creditNote.title': 'Creditnota {number}',
    'creditNote.notNumbered': 'Nog zonder nummer',
    'creditNote.invoiceOf': '{number} van {date}',
    'creditNote.creditedTo': 'Gecrediteerd aan',
    'creditNote.net': 'Netto',
    'creditNote.totalCredited': 'Totaal gecrediteerd',
    'creditNote.reduced': 'Afgetrokken van het te betalen bedrag',
    'creditNote.toBalance': 'Toegevoegd aan uw tegoed',
    'creditNote.refunded': 'Terugbetaald op uw kaart',
    'creditNote.external': 'Op andere wijze terugbetaald',
    'creditNote.unsettled': 'Terugbetaling mislukt, neem contact op met de verkoper',
    'pdf.testMark': 'TEST: document uit een testomgeving, geen betalingsverzoek',
    'pdf.payInvoice': 'Deze factuur betalen',
    'pdf.page': 'Pagina {page} van {pages}',
    'pdf.paid': '{amount} betaald.',
    'pdf.paidOn': '{amount} betaald op {date}.',
    'pdf.creditNote': 'Creditnota {number}: {amount}',
    'pdf.creditNoteOn': 'Creditnota {number} van {date}: {amount}',

    // Purchases.
    'session.payFor': '{product} betalen',
    'session.yourCountry': 'Uw land',
    'session.countryText': 'De belasting hangt af van waar u gevestigd bent.',
    'session.confirmOrder': 'Bevestig uw bestelling',
    'session.addCode': 'Kortingscode toevoegen',
    'session.discountCode': 'Kortingscode',
    'session.applyCode': 'Toepassen',
    'session.codeApplied': 'Korting {discount} is toegepast.',
    'session.removeCode': 'Verwijderen',
    'session.paymentRunning': 'Er wordt een betaling verwerkt.',
    'session.addTaxId': 'Btw-nummer of fiscaal nummer toevoegen',
    'session.updateTotal': 'Totaal bijwerken',
    'session.discountTitle': 'Korting niet beschikbaar',
    'session.discountGone':
      'De korting van deze aanbieding is momenteel niet beschikbaar. U betaalt de volle prijs.',
    'session.nothingDue': 'Er is niets te betalen. Een kaart is niet nodig.',
    'session.nothingDueToday': 'Vandaag is er niets te betalen.',
    'session.cardForLater':
      'Vandaag wordt er niets afgeschreven. Uw kaart wordt opgeslagen voor latere betalingen.',
    'session.withoutCard': 'Zonder kaart mislukken latere betalingen totdat u er een toevoegt.',
    'session.startTrial': 'Gratis proefperiode starten',
    'session.confirmed': 'Bevestigd',
    'session.thankYou': 'Bedankt',
    'session.paymentReceived': 'Uw betaling is ontvangen.',
    'session.orderConfirmed': 'Uw bestelling is bevestigd. Er is niets afgeschreven.',
    'session.downloadInvoice': 'Factuur {number} downloaden (pdf)',
    'session.expired': 'Deze betaalpagina is verlopen',
    'session.expiredTitle': 'Betaalpagina verlopen',
    'session.expiredText':
      'Er is niets afgeschreven. Ga terug naar de site van de verkoper en begin opnieuw.',
    'session.dueToday': 'vandaag te betalen',
    'session.estimatedToday': 'schatting, vandaag te betalen',
    'session.quantity': 'Aantal: {quantity}',
    'session.quantityAt': 'Aantal: {quantity} × {rate}',
    'link.toPayment': 'Doorgaan naar betaling',
    'link.updatePrices': 'Prijzen bijwerken',
    'link.discountNext': 'De korting wordt op de volgende pagina verrekend.',
    'link.discountSome':
      'De korting op {products} wordt op de volgende pagina verrekend. Voor al het andere betaalt u de volle prijs.',
    'link.ended': 'Deze aanbieding is beëindigd',
    'link.endedText': 'Deze link is niet meer actief. Neem contact op met de verkoper.',
    'link.yourOrder': 'Uw bestelling',
    'link.chooseProduct': 'Kies een product',
    'link.quantityFor': '{quantity} voor {terms}',

    // Terms in words.
    'every.day': '{count, plural, one {elke dag} other {elke # dagen}}',
    'every.week': '{count, plural, one {elke week} other {elke # weken}}',
    'every.month': '{count, plural, one {elke maand} other {elke # maanden}}',
    'every.year': '{count, plural, one {elk jaar} other {elke # jaar}}',
    'terms.plusTax': '{amount} excl. belasting',
    'terms.includingTax': '{amount} incl. belasting',
    'terms.once': '{amount} eenmalig',
    'terms.oneTime': 'Eenmalige betaling. Later wordt er niets afgeschreven.',
    'terms.recurring': '{amount} {recurrence}',
    'terms.recurringFrom': '{amount} {recurrence} vanaf {date}',
    'terms.today': '{amount} vandaag',
    'terms.onDate': '{amount} op {date}',
    'terms.free': '{days, plural, one {# dag} other {# dagen}} gratis',
    'terms.then': '{first}, daarna {next}',
    'terms.laterAfterOnce': 'Daarna {next}',
    'terms.laterAfterRenewals': 'Hetzelfde bij elke verlenging, daarna {next}',
    'terms.plusUsage': '{terms}, plus verbruik',
    'terms.renews': 'Wordt {recurrence} verlengd.',
    'terms.renewsSame': 'Wordt {recurrence} tegen dezelfde prijs verlengd.',
    'terms.nextRenewal': 'Volgende verlenging op {date}. Op elk moment opzegbaar.',
    'terms.nextCharge': 'Volgende afschrijving op {date}. Op elk moment opzegbaar.',
    'terms.nextUsageCharge':
      'Volgende afschrijving van het verbruik op {date}. Op elk moment opzegbaar.',
    'terms.nextChargePlusUsage':
      'Volgende afschrijving plus verbruik op {date}. Op elk moment opzegbaar.',
    'terms.usageBilled': 'Het verbruik wordt achteraf gefactureerd, {recurrence}:',
    'terms.usageAfterTrial':
      'Het verbruik na de proefperiode wordt achteraf gefactureerd, {recurrence}:',
    'terms.each': '{rate} per stuk',
    'terms.eachPlus': '{rate} per stuk, plus {flat}',
    'terms.allUnits': 'Alle eenheden {range}: {rate}',
    'terms.someUnits': 'Eenheden {range}: {rate}',
    'terms.above': 'boven {from}',
    'terms.upTo': 'tot en met {to}',
    'terms.aboveUpTo': 'boven {from} tot en met {to}',
    'terms.anyNumber': 'in elk aantal',
    'usage.usage': 'Verbruik',
    'usage.named': '{name}: {terms}',
    'usage.included': '{quantity} {recurrence} inbegrepen, daarna {terms}',
    'usage.package': '{rate} per {size}, naar boven afgerond',
    'usage.range': 'van {least} tot {most} per stuk, afhankelijk van het volume',
    'usage.plusFlat': '{terms}, plus maximaal {flat} per staffel',
    'usage.atLeast': '{terms}, minimaal {least} {recurrence}',
    'usage.atMost': '{terms}, maximaal {most} {recurrence}',
    'usage.atLeastAtMost': '{terms}, minimaal {least} en maximaal {most} {recurrence}',

    // Portal.
    'portal.billing': 'Facturering',
    'portal.pageTitle': '{title} · Facturering',
    'portal.skip': 'Naar de inhoud',
    'portal.backTo': 'Terug naar {host}',
    'portal.signOut': 'Uitloggen',
    'portal.overview': 'Overzicht',
    'portal.usage': 'Verbruik',
    'portal.invoices': 'Facturen',
    'portal.paymentMethods': 'Betaalmethoden',
    'portal.contactDetails': 'Contactgegevens',
    'portal.shortPayment': 'Betaling',
    'portal.shortContact': 'Contact',
    'done.card-added': 'De kaart is toegevoegd.',
    'done.card-removed': 'De kaart is verwijderd.',
    'done.canceled': 'Uw abonnement eindigt wanneer de huidige periode eindigt.',
    'done.ended': 'Uw abonnement is opgezegd. Er wordt niets in rekening gebracht.',
    'done.kept': 'Uw abonnement wordt zoals gewoonlijk verlengd.',
    'done.default-changed': 'Deze kaart is nu uw standaardkaart.',
    'done.details-saved': 'Uw gegevens zijn opgeslagen.',
    'done.plan-changed': 'Uw abonnementsvorm is gewijzigd.',
    'done.plan-scheduled': 'Uw abonnementsvorm wijzigt wanneer de huidige periode eindigt.',
    'done.plan-paying':
      'Uw betaling wordt verwerkt. Uw abonnementsvorm wijzigt zodra deze is ontvangen.',
    'done.plan-kept': 'U behoudt uw huidige abonnementsvorm.',
    'signIn.askTitle': 'Inloggen bij het factureringsportaal',
    'signIn.askText': 'Wij sturen u een link die het portaal opent.',
    'signIn.send': 'Link versturen',
    'signIn.sentTitle': 'Controleer uw e-mail',
    'signIn.sentText': 'Als wij dit adres kennen, hebben wij er een link naartoe gestuurd.',
    'signIn.title': 'Uw factureringsportaal',
    'signIn.text': 'Bekijk uw abonnementen, verbruik en facturen en beheer uw betaalmethoden.',
    'signIn.open': 'Portaal openen',
    'signIn.once': 'Deze link werkt maar één keer. Deel de link niet.',
    'signIn.used': 'Deze link is al gebruikt',
    'signIn.expired': 'Deze link is verlopen',
    'signIn.newLink':
      'Een portaallink werkt maar één keer en verloopt na een uur. Vraag een nieuwe aan waar u deze hebt gevonden.',
    'signIn.usedHere': 'Hebt u de link in deze browser geopend, {link}.',
    'signIn.continue': 'ga dan door naar het portaal',
    'signIn.signedOut': 'U bent uitgelogd',
    'signIn.signedOutText': 'U hebt een nieuwe link nodig om het portaal weer te openen.',
    'signIn.back': 'Terug',
    'signIn.sessionExpired': 'Uw sessie is verlopen',
    'signIn.sessionExpiredText':
      'Een portaalsessie duurt een uur. Vraag een nieuwe link aan waar u de laatste hebt gevonden.',
    'overview.noSubscriptions': 'Geen abonnementen',
    'overview.noSubscriptionsText': 'U hebt geen actieve abonnementen. Bekijk uw {invoices}.',
    'overview.invoicesLink': 'facturen',
    'overview.overdue': 'Een betaling is achterstallig',
    'overview.openInvoices': 'Open facturen',
    'overview.overdueText':
      'Betaal deze of voeg een andere kaart toe om uw abonnement te behouden.',
    'overview.balance': 'Tegoed',
    'overview.balanceText':
      'Uw tegoed is {amounts}. Uw volgende facturen gebruiken dit als eerste.',
    'overview.fixPayment': 'Betaling herstellen',
    'overview.pay': 'Betalen',
    'overview.ofInvoice': ' van factuur {number}',
    'overview.nextInvoice': 'Volgende factuur',
    'overview.nextCharge': 'Volgende afschrijving',
    'overview.amountOn': '{amount} op {date}',
    'overview.discountOff': '{name}: {amount} korting',
    'overview.usageSoFar': 'Verbruik tot nu toe',
    'overview.about': 'ongeveer {amount}',
    'overview.estimate': 'Schatting.',
    'overview.estimateBefore': 'Schatting vóór kortingen.',
    'overview.billedAtEnd': 'Wordt gefactureerd wanneer het abonnement eindigt.',
    'overview.addedToNext': 'Wordt aan de volgende factuur toegevoegd.',
    'overview.seeUsage': 'Verbruik bekijken',
    'overview.chargedTo': 'Wordt afgeschreven van {card}.',
    'overview.changePaying': 'Uw wijziging naar {plan}, wordt betaald.',
    'overview.changeAt': 'Wijzigt naar {plan}, op {date}.',
    'overview.keepPlan': 'Huidige abonnementsvorm behouden',
    'overview.pausesOn': 'Wordt gepauzeerd op {date}.',
    'overview.pausedSince': 'Gepauzeerd sinds {since}.',
    'overview.pausedUntil': 'Gepauzeerd sinds {since}. Wordt hervat op {date}.',
    'overview.changePlan': 'Abonnementsvorm wijzigen',
    'overview.cancelSubscription': 'Abonnement opzeggen',
    'overview.endsOn': 'Uw abonnement eindigt op {date} en wordt niet verlengd.',
    'overview.keepSubscription': 'Abonnement behouden',
    'overview.paymentMethod': 'Betaalmethode',
    'overview.invoicesSent':
      'U ontvangt facturen. Betaal elke factuur uiterlijk op de vervaldatum.',
    'overview.noCard':
      'Er is geen kaart opgeslagen. Voeg een kaart toe om uw abonnement te betalen.',
    'overview.cardCharged': 'Er wordt afgeschreven van {card}.',
    'overview.cardChargedExcept':
      'Er wordt afgeschreven van {card}, behalve bij abonnementen die een andere kaart tonen.',
    'overview.managePaymentMethods': 'Betaalmethoden beheren',
    'overview.billingDetails': 'Factuurgegevens',
    'overview.editDetails': 'Contactgegevens bewerken',
    'overview.ended': 'Beëindigd',
    'overview.endedOn': 'beëindigd op {date}',
    'status.pastDue': 'Achterstallig',
    'status.ending': 'Eindigt',
    'status.trial': 'Proefperiode',
    'status.scheduled': 'Gepland',
    'status.paused': 'Gepauzeerd',
    'status.active': 'Actief',
    'usagePage.tooMuch': 'boven het maximumbedrag van een factuur',
    'usagePage.none': 'Uw abonnementsvorm heeft geen kosten op basis van verbruik.',
    'usagePage.units': 'eenheden',
    'usagePage.amount': '{quantity} {units}',
    'usagePage.included': '{quantity} van {included} {units} inbegrepen',
    'usagePage.credits': 'Vooruitbetaald: nog {remaining} van {granted} {units}',
    'usagePage.additional': 'Extra verbruik: {quantity} {units}',
    'usagePage.additionalCost': 'Extra verbruik: {quantity} {units}, {cost}',
    'usagePage.cost': 'Kosten: {cost}',
    'usagePage.aboutSoFar': 'ongeveer {amount} tot nu toe',
    'invoices.none': 'Er zijn nog geen facturen.',
    'invoices.status': 'Status',
    'invoices.pdfOf': ' van {number}',
    'invoices.theInvoice': 'de factuur',
    'invoices.pages': 'Pagina’s met facturen',
    'invoices.newer': 'Nieuwere',
    'invoices.older': 'Oudere',
    'invoices.page': 'Pagina {page} van {pages}',
    'invoices.purchaseOpen': 'Deze factuur hoort bij een aankoop die niet is voltooid.',
    'invoices.continuePurchase': 'Aankoop voortzetten',
    'invoices.payWithThisCard': '{amount} met deze kaart betalen',
    'invoices.payThis': 'Deze factuur betalen',
    'invoices.payWithAnother': 'Met een andere kaart betalen',
    'invoices.savedCards': 'Opgeslagen kaarten',
    'methods.none': 'Er is geen kaart opgeslagen.',
    'methods.add': 'Kaart toevoegen',
    'methods.save': 'Kaart opslaan',
    'methods.default': 'Standaard',
    'methods.savedOn': 'Opgeslagen op {date}.',
    'methods.defaultFirst':
      'Maak eerst een andere kaart de standaardkaart om deze kaart te verwijderen.',
    'methods.makeDefault': 'Als standaard instellen',
    'methods.remove': 'Verwijderen',
    'methods.useAsDefault': 'Als standaard gebruiken',
    'methods.openCharged': 'Open facturen worden nu van deze kaart afgeschreven.',
    'methods.isDefault': 'Maak eerst een andere kaart de standaardkaart.',
    'methods.inUse':
      'Met deze kaart wordt een lopend abonnement betaald. Voeg eerst een andere kaart toe.',
    'methods.tooMany':
      'U hebt het maximumaantal opgeslagen kaarten bereikt. Verwijder er eerst een.',
    'cancel.title': '{product} opzeggen?',
    'cancel.pageTitle': '{product} opzeggen',
    'cancel.scheduled':
      'Uw abonnement is nog niet begonnen. Als u nu opzegt, begint het niet op {date} en wordt er niets in rekening gebracht. Dit kan niet ongedaan worden gemaakt.',
    'cancel.running':
      'U behoudt toegang tot {date}. Uw abonnement wordt niet verlengd. Tot dan kunt u de opzegging ongedaan maken.',
    'cancel.usage': 'Verbruik boven wat is inbegrepen wordt nog gefactureerd.',
    'cancel.now': 'Nu opzeggen',
    'cancel.atEnd': 'Opzeggen aan het einde van de periode',
    'plan.change': 'Abonnementsvorm wijzigen',
    'plan.notPossible': 'Deze wijziging is niet mogelijk',
    'plan.current': 'Huidige abonnementsvorm: {plan}',
    'plan.named': '{name}, {terms}',
    'plan.noOther': 'Er is geen andere abonnementsvorm beschikbaar voor dit abonnement.',
    'plan.exactPrice': 'U ziet de exacte prijs voordat er iets wordt gewijzigd.',
    'plan.review': 'Wijziging controleren',
    'plan.backToOverview': 'Terug naar het overzicht',
    'plan.yours': '{name} (uw abonnementsvorm)',
    'plan.inTiers': '{quantity} eenheden, prijs volgens staffel',
    'plan.times': '{quantity} × {terms}',
    'plan.nothingToChange': 'Dit is al uw abonnementsvorm.',
    'plan.changePaying': 'Een andere wijziging wordt betaald. Probeer het zo meteen opnieuw.',
    'plan.setToCancel':
      'Uw abonnement is opgezegd. Maak de opzegging ongedaan voordat u het wijzigt.',
    'plan.tooManyChanges': 'Dit abonnement is in deze periode te vaak gewijzigd.',
    'plan.refused': 'Kies een andere abonnementsvorm of neem contact op met de verkoper.',
    'review.title': 'Controleer uw wijziging',
    'review.now': 'Nu',
    'review.then': 'Daarna',
    'review.starts': 'Begint',
    'review.stale': 'De prijs is intussen gewijzigd.',
    'review.again': 'Controleer de wijziging opnieuw.',
    'review.notChanged': 'Uw abonnementsvorm is niet gewijzigd.',
    'review.today': 'Vandaag',
    'review.untilThen':
      'Tot dan behoudt u uw huidige abonnementsvorm en kunt u deze wijziging ongedaan maken.',
    'review.noCard': 'Er is geen kaart opgeslagen. Eerst: {addCard}.',
    'review.addCard': 'kaart toevoegen',
    'review.chargedTo': 'Wordt afgeschreven van {card}',
    'review.getInvoice': 'U ontvangt een factuur.',
    'review.takenOff': 'Afgetrokken van open facturen',
    'review.usageSoFar': 'Inclusief het verbruik tot nu toe.',
    'review.usageUntilToday': 'Verbruik tot vandaag',
    'review.ownInvoice': 'Op een aparte factuur.',
    'review.payAndChange': '{amount} betalen en abonnementsvorm wijzigen',
    'review.confirm': 'Wijziging bevestigen',
    'review.another': 'Andere abonnementsvorm kiezen',

    // Mails.
    testMail: 'TEST: deze e-mail komt uit een testomgeving. Er gaat geen geld om.',
    contact: 'Vragen? Schrijf naar {email}.',
    automaticMail:
      '{hasSeller, select, true {{seller} verzendt} other {Wij verzenden}} deze e-mail automatisch.',
    'paymentReason.card_declined': 'De kaart is geweigerd.',
    'paymentReason.insufficient_funds': 'De kaart heeft onvoldoende saldo.',
    'paymentReason.expired_card': 'De kaart is verlopen.',
    'paymentReason.card_not_supported': 'De kaart wordt niet ondersteund.',
    'paymentReason.currency_not_supported': 'De kaart ondersteunt deze valuta niet.',
    'paymentReason.payment_method_unavailable': 'Van de kaart kan niet meer worden afgeschreven.',
    'paymentReason.no_payment_method': 'Er is geen betaalmethode opgeslagen.',
    'paymentReason.other': 'De betaling kon niet worden verwerkt.',
  },
};
