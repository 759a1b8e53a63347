import type { Catalogue } from './catalogue';

const greeting = 'Guten Tag {{customer.name}},';

/** The German texts. */
export const de: Catalogue = {
  mails: {
    INVOICE_ISSUED: {
      subject:
        'Rechnung {{invoice.number}}{{#seller.name}} von {{seller.name}}{{/seller.name}}: {{invoice.amountDue}}',
      body: `# Rechnung {{invoice.number}}

${greeting}

Ihre Rechnung über {{invoice.amountDue}} liegt vor.{{#invoice.dueDate}} Bitte zahlen Sie bis zum {{invoice.dueDate}}.{{/invoice.dueDate}}

{{#invoice.description}}- {{invoice.description}}{{/invoice.description}}

[Rechnung ansehen und bezahlen]({{link}})`,
    },
    RECEIPT: {
      subject:
        'Zahlungsbeleg zu Rechnung {{invoice.number}}{{#seller.name}} von {{seller.name}}{{/seller.name}}',
      body: `# Vielen Dank für Ihre Zahlung

${greeting}

wir haben Ihre Zahlung zu Rechnung {{invoice.number}} erhalten.

- Gesamtbetrag: {{invoice.total}}
{{#invoice.description}}- {{invoice.description}}{{/invoice.description}}
{{#invoice.paidAt}}- Bezahlt am {{invoice.paidAt}}{{/invoice.paidAt}}

{{#link}}[Rechnung ansehen]({{link}}){{/link}}`,
    },
    PAYMENT_FAILED: {
      subject: 'Ihre Zahlung über {{invoice.amountDue}} ist fehlgeschlagen',
      body: `# Ihre Zahlung ist fehlgeschlagen

${greeting}

wir konnten {{invoice.amountDue}} für Rechnung {{invoice.number}} nicht einziehen. {{payment.reason}}

{{#payment.nextAttemptAt}}Wir versuchen es am {{payment.nextAttemptAt}} erneut. {{/payment.nextAttemptAt}}Sie können jetzt bezahlen, auch mit einer anderen Karte.

[Rechnung bezahlen]({{link}})`,
    },
    ACTION_REQUIRED: {
      subject: 'Bitte bestätigen Sie Ihre Zahlung über {{invoice.amountDue}}',
      body: `# Bitte bestätigen Sie Ihre Zahlung

${greeting}

Ihre Bank verlangt, dass Sie die Zahlung von {{invoice.amountDue}} für Rechnung {{invoice.number}} bestätigen.

[Zahlung bestätigen]({{link}})`,
    },
    PAYMENT_REMINDER: {
      subject: 'Zahlungserinnerung: Rechnung {{invoice.number}} ist nicht bezahlt',
      body: `# Rechnung {{invoice.number}} ist nicht bezahlt

${greeting}

wir haben {{invoice.amountDue}} für Rechnung {{invoice.number}} noch nicht erhalten{{#invoice.dueDate}}; der Betrag war am {{invoice.dueDate}} fällig{{/invoice.dueDate}}.

[Rechnung ansehen und bezahlen]({{link}})`,
    },
    CREDIT_NOTE_ISSUED: {
      subject:
        'Gutschrift {{creditNote.number}}{{#seller.name}} von {{seller.name}}{{/seller.name}}',
      body: `# Gutschrift {{creditNote.number}}

${greeting}

wir haben Ihnen {{creditNote.total}} aus Rechnung {{invoice.number}} gutgeschrieben.

{{#link}}[Rechnung ansehen]({{link}}){{/link}}`,
    },
    CARD_EXPIRING: {
      subject: 'Ihre Karte läuft bald ab',
      body: `# Ihre Karte läuft bald ab

${greeting}

Ihre Karte{{#card}} {{card}}{{/card}} läuft{{#card.expiry}} Ende {{card.expiry}}{{/card.expiry}} ab. Bitte fügen Sie vor Ihrer nächsten Zahlung eine andere Karte hinzu.

{{#link}}[Zahlungsmethode aktualisieren]({{link}}){{/link}}`,
    },
    TRIAL_STARTED: {
      subject:
        'Ihre Testphase{{#subscription.product}} für {{subscription.product}}{{/subscription.product}} hat begonnen',
      body: `# Ihre Testphase hat begonnen

${greeting}

Ihre Testphase{{#subscription.product}} für {{subscription.product}}{{/subscription.product}} läuft bis zum {{subscription.trialEnd}}. Danach ist das Abonnement kostenpflichtig.

{{#link}}[Abonnement verwalten]({{link}}){{/link}}`,
    },
    TRIAL_ENDING: {
      subject:
        'Ihre Testphase{{#subscription.product}} für {{subscription.product}}{{/subscription.product}} endet am {{subscription.trialEnd}}',
      body: `# Ihre Testphase endet bald

${greeting}

Ihre Testphase{{#subscription.product}} für {{subscription.product}}{{/subscription.product}} endet am {{subscription.trialEnd}}.{{#subscription.upcomingAmount}} Dann werden Ihnen {{subscription.upcomingAmount}} berechnet.{{/subscription.upcomingAmount}}

{{#link}}[Abonnement verwalten]({{link}}){{/link}}`,
    },
    RENEWAL_UPCOMING: {
      subject: 'Ihr Abonnement verlängert sich am {{subscription.upcomingAt}}',
      body: `# Ihr Abonnement verlängert sich bald

${greeting}

Ihr Abonnement{{#subscription.product}} für {{subscription.product}}{{/subscription.product}} verlängert sich am {{subscription.upcomingAt}}. Dann werden Ihnen {{subscription.upcomingAmount}} berechnet.

{{#link}}[Abonnement verwalten]({{link}}){{/link}}`,
    },
    CANCELLATION_SCHEDULED: {
      subject: 'Ihr Abonnement endet am {{subscription.endsAt}}',
      body: `# Ihr Abonnement endet

${greeting}

Ihr Abonnement{{#subscription.product}} für {{subscription.product}}{{/subscription.product}} ist gekündigt. Es bleibt bis zum {{subscription.endsAt}} aktiv.

{{#link}}[Abonnement verwalten]({{link}}){{/link}}`,
    },
    SUBSCRIPTION_CANCELED: {
      subject: 'Ihr Abonnement ist beendet',
      body: `# Ihr Abonnement ist beendet

${greeting}

Ihr Abonnement{{#subscription.product}} für {{subscription.product}}{{/subscription.product}} wurde{{#subscription.endsAt}} am {{subscription.endsAt}}{{/subscription.endsAt}} beendet. Es wird nichts mehr berechnet.`,
    },
    PORTAL_LINK: {
      subject: 'Ihr Anmeldelink{{#seller.name}} für {{seller.name}}{{/seller.name}}',
      body: `# Ihr Anmeldelink

${greeting}

Öffnen Sie das Abrechnungsportal mit diesem Link. Er funktioniert nur einmal und nur innerhalb einer Stunde.

[Portal öffnen]({{link}})

Wenn Sie diesen Link nicht angefordert haben, ignorieren Sie diese E-Mail.`,
    },
  },
  phrases: {
    // Frame of pages.
    'page.testMode': 'Testmodus',
    'page.testModeNote': 'Es findet keine echte Abbuchung statt.',
    'footer.questions': 'Fragen?',
    'footer.support': 'Support',
    'footer.terms': 'AGB',
    'footer.privacy': 'Datenschutz',
    'footer.languages': 'Sprachen',
    'failure.didNotWork': 'Das hat nicht geklappt',
    'failure.unreadable':
      'Das Formular konnte nicht gelesen werden. Bitte versuchen Sie es erneut.',
    'failure.foreignForm':
      'Das Formular wurde von einer anderen Website gesendet. Bitte öffnen Sie die Seite erneut und versuchen Sie es dort.',
    'failure.notFoundTitle': 'Seite nicht gefunden',
    'failure.notFound':
      'Diese Seite gibt es nicht. Bitte prüfen Sie die Adresse oder wenden Sie sich an den Verkäufer.',
    'failure.unsupportedAction': 'Diese Seite unterstützt die Aktion nicht.',
    'failure.conflict': 'Das ist nicht mehr möglich. Bitte öffnen Sie die Seite erneut.',
    'failure.tooLong': 'Ihre Eingabe ist zu lang.',
    'failure.tooManyTitle': 'Zu viele Anfragen',
    'failure.tooMany': 'Bitte warten Sie einen Moment und versuchen Sie es erneut.',
    'failure.unavailableTitle': 'Vorübergehend nicht verfügbar',
    'failure.unavailable':
      'Bitte versuchen Sie es gleich noch einmal. Falls Sie gerade bezahlt haben, sehen Sie zuerst auf der Seite nach: Ihre Zahlung kann bereits erfolgt sein.',
    'failure.faultTitle': 'Ein Fehler ist aufgetreten',
    'failure.fault':
      'Der Fehler liegt bei uns. Falls Sie gerade bezahlt haben, sehen Sie zuerst auf der Seite nach: Ihre Zahlung kann bereits erfolgt sein.',
    'failure.back': 'Zurück zur Seite',

    // Forms.
    labeled: '{label}: {text}',
    sentences: '{first} {second}',
    'form.optional': '(optional)',
    'form.fixFields': 'Bitte korrigieren Sie die folgenden Felder',
    'form.form': 'Formular',
    'form.continue': 'Weiter',
    'form.confirm': 'Bestätigen',
    'form.save': 'Speichern',
    'form.cancelBack': 'Abbrechen und zurück',
    'field.name': 'Name',
    'field.email': 'E-Mail',
    'field.phone': 'Telefon',
    'field.language': 'Sprache',
    'field.languageAutomatic': 'Wie im Browser',
    'field.quantity': 'Menge',
    'field.product': 'Produkt',
    'field.plan': 'Tarif',
    'field.country': 'Land',
    'field.company': 'Name oder Firma',
    'field.taxId': 'USt-IdNr. oder Steuernummer',
    'field.taxIdHint': 'Für Unternehmen, mit Länderkürzel am Anfang, z. B. DE136695976.',
    'field.emailOrderHint': 'Für Ihre Rechnung und Nachrichten zu Ihrer Bestellung.',
    'field.emailPortalHint': 'Für Ihre Rechnungen und Nachrichten zu Ihrem Abonnement.',
    'field.quantityRange': 'Von {min} bis {max}',
    'field.quantityPlanHint': 'Für Tarife mit Preis pro Einheit.',
    'address.address': 'Adresse',
    'address.line1': 'Straße und Hausnummer',
    'address.line2': 'Adresszusatz',
    'address.postalCode': 'Postleitzahl',
    'address.city': 'Ort',
    'address.state': 'Bundesland oder Region',
    'problem.discountCode': 'Dieser Code ist nicht gültig.',
    'problem.required': 'Pflichtfeld',
    'problem.email': 'Ungültige E-Mail-Adresse',
    'problem.country': 'Ungültiges Land',
    'problem.taxId': 'Ungültige USt-IdNr. oder Steuernummer',
    'problem.tooLong': 'Höchstens {max} Zeichen',
    'problem.controlCharacters': 'Darf keine Steuerzeichen enthalten',
    'problem.expiryFormat': 'Muss die Form MM/JJ haben',
    'problem.cardExpired': 'Die Karte ist abgelaufen',
    'problem.codeDigits': 'Muss 3 oder 4 Ziffern haben',
    'problem.testCardsOnly': 'Hier werden nur Testkarten angenommen',
    'problem.wholeNumber': 'Muss eine ganze Zahl von {min, number} bis {max, number} sein',
    'problem.totalTooLarge': 'Die Summe überschreitet den Höchstbetrag',
    'problem.choosePlan': 'Bitte wählen Sie einen Tarif',
    'problem.planGone': 'Dieser Tarif ist nicht mehr verfügbar',
    'problem.locale': 'Nicht unterstützte Sprache',
    'problem.other': 'Bitte prüfen Sie dieses Feld',

    // Cards and payments.
    'card.number': 'Kartennummer',
    'card.expiry': 'Gültig bis',
    'card.expiryHint': 'MM/JJ',
    'card.code': 'Prüfnummer',
    'card.codeHint': '3 oder 4 Ziffern',
    'card.holder': 'Name auf der Karte',
    'card.totalChanged': 'Die Summe hat sich geändert.',
    'card.nothingCharged': 'Es wurde nichts abgebucht.',
    'card.unavailable':
      'Kartenzahlungen sind derzeit nicht möglich. Bitte wenden Sie sich an den Verkäufer.',
    'card.atProvider':
      'Sie geben Ihre Karte auf der Seite unseres Zahlungsdienstleisters ein und kehren danach hierher zurück.',
    'card.toProvider': 'Weiter zu den Kartendaten',
    'card.providerTitle': 'Kartendaten',
    'card.providerText':
      'Sie geben Ihre Karte auf der Seite unseres Zahlungsdienstleisters ein. Falls sich die Seite nicht von selbst öffnet, verwenden Sie die Schaltfläche unten.',
    'card.ready': 'Ihre Karte ist bereit',
    'card.useAnother': 'Andere Karte verwenden',
    'card.testCards': 'Testkarten',
    'card.testCardsHint':
      'Verwenden Sie ein beliebiges künftiges Ablaufdatum und eine beliebige Prüfnummer. Andere Kartennummern werden abgelehnt.',
    'card.testNumber': 'Nummer',
    'card.testEffect': 'Wirkung',
    'testCard.succeeds': 'wird belastet',
    'testCard.succeedsMastercard': 'wird belastet (Mastercard)',
    'testCard.challenge': 'verlangt einmal 3-D Secure',
    'testCard.challengeDeclined': 'verlangt 3-D Secure und wird dann abgelehnt',
    'testCard.declined': 'wird abgelehnt',
    'testCard.insufficientFunds': 'hat keine ausreichende Deckung',
    'testCard.processingError': 'schlägt mit einem Verarbeitungsfehler fehl',
    'testCard.expired': 'ist abgelaufen',
    'testCard.lost': 'ist als verloren gemeldet',
    'testCard.stolen': 'ist als gestohlen gemeldet',
    'testCard.laterFails': 'wird gespeichert, aber jede spätere Abbuchung schlägt fehl',
    'testCard.renewalFails':
      'schlägt bei den ersten zwei Verlängerungen fehl und wird dann belastet',
    'testCard.belowMinimum': 'kann nicht mit Beträgen unter 50 kleinsten Einheiten belastet werden',
    'testCard.refunded': 'wird einen Tag später erstattet',
    'testCard.notRefundable': 'kann nicht erstattet werden',
    'testCard.disputeLost': 'wird einen Tag später beanstandet, der Einspruch geht verloren',
    'testCard.disputeWon': 'wird einen Tag später beanstandet, der Einspruch wird gewonnen',
    'card.endingIn': '{brand} mit Endziffern {last4}',
    'card.expires': 'Gültig bis {date}.',
    'card.expired': 'Abgelaufen {date}.',
    'payment.pay': '{amount} bezahlen',
    'payment.payByCard': 'Mit Karte bezahlen',
    'payment.lastFailed': 'Die letzte Zahlung ist fehlgeschlagen',
    'payment.failed': 'Die Zahlung ist fehlgeschlagen',
    'payment.processing': 'Ihre Zahlung wird bearbeitet',
    'payment.processingText': 'Das dauert einen Moment. Die Seite aktualisiert sich von selbst.',
    'payment.refresh': 'Aktualisieren',
    'challenge.paymentTitle': 'Bestätigen Sie Ihre Zahlung',
    'challenge.cardTitle': 'Bestätigen Sie Ihre Karte',
    'challenge.payment':
      'Ihre Bank bittet Sie, die Zahlung von {amount} zu bestätigen (3-D Secure).',
    'challenge.card':
      'Ihre Bank bittet Sie zu bestätigen, dass spätere Zahlungen von Ihrer Karte abgebucht werden dürfen (3-D Secure).',
    'challenge.testMode': 'Testmodus: Wählen Sie ein Ergebnis.',
    'challenge.toBank': 'Weiter zu Ihrer Bank',
    'challenge.approve': 'Genehmigen',
    'challenge.decline': 'Ablehnen',
    'challenge.bankTitle': 'Bestätigung bei Ihrer Bank',
    'challenge.bankText':
      'Ihre Bank bittet Sie, diese Zahlung zu bestätigen. Falls sich die Seite nicht von selbst öffnet, verwenden Sie die Schaltfläche unten.',
    'payerMessage.card_declined': 'Ihre Karte wurde abgelehnt.',
    'payerMessage.insufficient_funds': 'Ihre Karte hat keine ausreichende Deckung.',
    'payerMessage.processing_error':
      'Ihre Karte konnte nicht verarbeitet werden. Bitte versuchen Sie es erneut.',
    'payerMessage.authentication_required':
      'Ihre Bank hat die Zahlung nicht bestätigt. Bitte versuchen Sie es erneut.',
    'payerMessage.expired_card': 'Ihre Karte ist abgelaufen.',
    'payerMessage.card_not_supported':
      'Ihre Karte wird nicht unterstützt. Bitte verwenden Sie eine andere.',
    'payerMessage.currency_not_supported':
      'Ihre Karte unterstützt diese Währung nicht. Bitte verwenden Sie eine andere.',
    'payerMessage.payment_method_unavailable':
      'Ihre Karte kann nicht mehr belastet werden. Bitte verwenden Sie eine andere.',
    'payerMessage.amount_not_supported': 'Dieser Betrag kann nicht mit Karte bezahlt werden.',
    'payerMessage.no_payment_method': 'Es ist keine Zahlungsmethode gespeichert.',
    'payerMessage.no_payment_provider': 'Zahlungen sind derzeit nicht möglich.',
    'payerMessage.other': 'Ihre Zahlung ist fehlgeschlagen. Bitte versuchen Sie es erneut.',

    // Invoices and credit notes.
    'invoice.invoice': 'Rechnung',
    'invoice.title': 'Rechnung {number}',
    'invoice.number': 'Nummer',
    'invoice.date': 'Datum',
    'invoice.due': 'Fällig am',
    'invoice.period': 'Zeitraum',
    'invoice.purchaseOrder': 'Bestellnummer',
    'invoice.order': 'Bestell-Nr.',
    'invoice.from': 'Von',
    'invoice.billedTo': 'Rechnung an',
    'invoice.downloadPdf': 'Als PDF herunterladen',
    'invoice.bankTransfer': 'Überweisung',
    'invoice.open': 'Offen',
    'invoice.paid': 'Bezahlt',
    'invoice.void': 'Storniert',
    'invoice.uncollectible': 'Uneinbringlich',
    'invoice.draft': 'Entwurf',
    'invoice.paidText': 'Vielen Dank. Diese Rechnung ist bezahlt.',
    'invoice.paidOn': 'Vielen Dank. Diese Rechnung ist bezahlt. Zahlungseingang am {date}.',
    'invoice.settledOn': 'Vielen Dank. Diese Rechnung ist bezahlt. Beglichen am {date}.',
    'invoice.voidText': 'Diese Rechnung wurde storniert. Sie schulden nichts.',
    'invoice.uncollectibleText':
      'Diese Rechnung kann hier nicht mehr bezahlt werden. Bitte wenden Sie sich an den Verkäufer.',
    'invoice.description': 'Beschreibung',
    'invoice.quantity': 'Menge',
    'invoice.unitPrice': 'Einzelpreis',
    'invoice.amount': 'Betrag',
    'invoice.each': 'je {rate}',
    'invoice.showCalculation': 'Berechnung anzeigen',
    'invoice.subtotal': 'Zwischensumme',
    'invoice.total': 'Gesamtbetrag',
    'invoice.amountDue': 'Fälliger Betrag',
    'invoice.dueToday': 'Heute fällig',
    'invoice.discount': 'Rabatt: {name}',
    'invoice.tax': 'Steuer',
    'invoice.taxOn': '{name} {percent} % auf {amount}',
    'invoice.includes': 'Enthält {tax}',
    'invoice.legalTaxOn': '{text}, 0 % auf {amount}',
    'invoice.balanceApplied': 'Mit Guthaben verrechnet',
    'invoice.amountPaid': 'Bezahlt',
    'invoice.credited': 'Gutgeschrieben',
    'invoice.notPaid': 'Nicht bezahlt',
    'invoice.registrationNumber': 'Registernummer: {number}',
    'invoice.reference': 'Referenz: {reference}',
    'invoice.taxIdLine': 'Steuer-ID: {id}',
    'invoice.taxIdLabel': 'Steuer-ID',
    'invoice.accountHolder': 'Kontoinhaber: {holder}',
    'invoice.iban': 'IBAN: {iban}',
    'invoice.bic': 'BIC: {bic}',
    'invoice.paymentReference': 'Verwendungszweck: {number}',
    'line.trial': '{product} (Testphase, {days, plural, one {# Tag} other {# Tage}})',
    'line.unusedTime': 'Nicht genutzte Zeit für {product}',
    'line.remainingTime': 'Verbleibende Zeit für {product}',
    'creditNote.creditNotes': 'Gutschriften',
    'creditNote.creditNote': 'Gutschrift',
    'creditNote.title': 'Gutschrift {number}',
    'creditNote.notNumbered': 'Noch ohne Nummer',
    'creditNote.invoiceOf': '{number} vom {date}',
    'creditNote.creditedTo': 'Gutschrift an',
    'creditNote.net': 'Netto',
    'creditNote.totalCredited': 'Gutgeschriebener Gesamtbetrag',
    'creditNote.reduced': 'Vom fälligen Betrag abgezogen',
    'creditNote.toBalance': 'Ihrem Guthaben hinzugefügt',
    'creditNote.refunded': 'Auf Ihre Karte erstattet',
    'creditNote.external': 'Auf anderem Weg zurückgezahlt',
    'creditNote.unsettled': 'Erstattung fehlgeschlagen, bitte wenden Sie sich an den Verkäufer',
    'pdf.testMark': 'TEST: Dokument aus einer Testumgebung, keine Zahlungsaufforderung',
    'pdf.payInvoice': 'Rechnung bezahlen',
    'pdf.page': 'Seite {page} von {pages}',
    'pdf.paid': '{amount} bezahlt.',
    'pdf.paidOn': '{amount} bezahlt am {date}.',
    'pdf.creditNote': 'Gutschrift {number}: {amount}',
    'pdf.creditNoteOn': 'Gutschrift {number} vom {date}: {amount}',

    // Purchases.
    'session.payFor': '{product} bezahlen',
    'session.yourCountry': 'Ihr Land',
    'session.countryText': 'Die Steuer hängt davon ab, wo Sie ansässig sind.',
    'session.confirmOrder': 'Bestellung bestätigen',
    'session.addCode': 'Rabattcode hinzufügen',
    'session.discountCode': 'Rabattcode',
    'session.applyCode': 'Einlösen',
    'session.codeApplied': 'Der Rabatt {discount} ist eingelöst.',
    'session.removeCode': 'Entfernen',
    'session.paymentRunning': 'Eine Zahlung läuft.',
    'session.addTaxId': 'USt-IdNr. oder Steuernummer hinzufügen',
    'session.updateTotal': 'Summe aktualisieren',
    'session.discountTitle': 'Rabatt nicht verfügbar',
    'session.discountGone':
      'Der Rabatt dieses Angebots ist derzeit nicht verfügbar. Sie zahlen den vollen Preis.',
    'session.nothingDue': 'Es ist nichts fällig. Eine Karte ist nicht nötig.',
    'session.nothingDueToday': 'Heute ist nichts fällig.',
    'session.cardForLater':
      'Heute wird nichts abgebucht. Ihre Karte wird für spätere Zahlungen gespeichert.',
    'session.withoutCard': 'Ohne Karte schlagen spätere Zahlungen fehl, bis Sie eine hinzufügen.',
    'session.startTrial': 'Kostenlose Testphase starten',
    'session.confirmed': 'Bestätigt',
    'session.thankYou': 'Vielen Dank',
    'session.paymentReceived': 'Ihre Zahlung ist eingegangen.',
    'session.orderConfirmed': 'Ihre Bestellung ist bestätigt. Es wurde nichts abgebucht.',
    'session.downloadInvoice': 'Rechnung {number} herunterladen (PDF)',
    'session.expired': 'Dieser Bezahlvorgang ist abgelaufen',
    'session.expiredTitle': 'Bezahlvorgang abgelaufen',
    'session.expiredText':
      'Es wurde nichts abgebucht. Kehren Sie zur Website des Verkäufers zurück und beginnen Sie dort neu.',
    'session.dueToday': 'heute fällig',
    'session.estimatedToday': 'geschätzt, heute fällig',
    'session.quantity': 'Menge: {quantity}',
    'session.quantityAt': 'Menge: {quantity} × {rate}',
    'link.toPayment': 'Weiter zur Zahlung',
    'link.updatePrices': 'Preise aktualisieren',
    'link.discountNext': 'Der Rabatt wird auf der nächsten Seite abgezogen.',
    'link.discountSome':
      'Der Rabatt auf {products} wird auf der nächsten Seite abgezogen. Für alles andere zahlen Sie den vollen Preis.',
    'link.ended': 'Dieses Angebot ist beendet',
    'link.endedText': 'Dieser Link ist nicht mehr gültig. Bitte wenden Sie sich an den Verkäufer.',
    'link.yourOrder': 'Ihre Bestellung',
    'link.chooseProduct': 'Produkt wählen',
    'link.quantityFor': '{quantity} für {terms}',

    // Terms in words.
    'every.day': '{count, plural, one {jeden Tag} other {alle # Tage}}',
    'every.week': '{count, plural, one {jede Woche} other {alle # Wochen}}',
    'every.month': '{count, plural, one {jeden Monat} other {alle # Monate}}',
    'every.year': '{count, plural, one {jedes Jahr} other {alle # Jahre}}',
    'terms.plusTax': '{amount} zzgl. Steuer',
    'terms.includingTax': '{amount} inkl. Steuer',
    'terms.once': '{amount} einmalig',
    'terms.oneTime': 'Einmalige Zahlung. Später wird nichts abgebucht.',
    'terms.recurring': '{amount} {recurrence}',
    'terms.recurringFrom': '{amount} {recurrence} ab {date}',
    'terms.today': '{amount} heute',
    'terms.onDate': '{amount} am {date}',
    'terms.free': '{days, plural, one {# Tag} other {# Tage}} kostenlos',
    'terms.then': '{first}, dann {next}',
    'terms.laterAfterOnce': 'Dann {next}',
    'terms.laterAfterRenewals': 'Derselbe Betrag bei jeder Verlängerung, dann {next}',
    'terms.plusUsage': '{terms}, zzgl. Nutzung',
    'terms.renews': 'Verlängert sich {recurrence}.',
    'terms.renewsSame': 'Verlängert sich {recurrence} zum selben Preis.',
    'terms.nextRenewal': 'Nächste Verlängerung am {date}. Jederzeit kündbar.',
    'terms.nextCharge': 'Nächste Abbuchung am {date}. Jederzeit kündbar.',
    'terms.nextUsageCharge': 'Nächste Nutzungsabrechnung am {date}. Jederzeit kündbar.',
    'terms.nextChargePlusUsage': 'Nächste Abbuchung zzgl. Nutzung am {date}. Jederzeit kündbar.',
    'terms.usageBilled': 'Die Nutzung wird nachträglich abgerechnet, {recurrence}:',
    'terms.usageAfterTrial':
      'Die Nutzung nach der Testphase wird nachträglich abgerechnet, {recurrence}:',
    'terms.each': 'je {rate}',
    'terms.eachPlus': 'je {rate}, zzgl. {flat}',
    'terms.allUnits': 'Alle Einheiten {range}: {rate}',
    'terms.someUnits': 'Einheiten {range}: {rate}',
    'terms.above': 'über {from}',
    'terms.upTo': 'bis {to}',
    'terms.aboveUpTo': 'über {from} bis {to}',
    'terms.anyNumber': 'in beliebiger Zahl',
    'usage.usage': 'Nutzung',
    'usage.named': '{name}: {terms}',
    'usage.included': '{quantity} {recurrence} enthalten, dann {terms}',
    'usage.package': '{rate} pro {size}, aufgerundet',
    'usage.range': 'je {least} bis {most}, abhängig von der Menge',
    'usage.plusFlat': '{terms}, zzgl. bis zu {flat} pro Staffel',
    'usage.atLeast': '{terms}, mindestens {least} {recurrence}',
    'usage.atMost': '{terms}, höchstens {most} {recurrence}',
    'usage.atLeastAtMost': '{terms}, mindestens {least} und höchstens {most} {recurrence}',

    // Portal.
    'portal.billing': 'Abrechnung',
    'portal.pageTitle': '{title} · Abrechnung',
    'portal.skip': 'Zum Inhalt springen',
    'portal.backTo': 'Zurück zu {host}',
    'portal.signOut': 'Abmelden',
    'portal.overview': 'Übersicht',
    'portal.usage': 'Nutzung',
    'portal.invoices': 'Rechnungen',
    'portal.paymentMethods': 'Zahlungsmethoden',
    'portal.contactDetails': 'Kontaktdaten',
    'portal.shortPayment': 'Zahlung',
    'portal.shortContact': 'Kontakt',
    'done.card-added': 'Die Karte wurde hinzugefügt.',
    'done.card-removed': 'Die Karte wurde entfernt.',
    'done.canceled': 'Ihr Abonnement endet mit dem laufenden Zeitraum.',
    'done.ended': 'Ihr Abonnement ist gekündigt. Ihnen wird nichts berechnet.',
    'done.kept': 'Ihr Abonnement verlängert sich wie gewohnt.',
    'done.default-changed': 'Diese Karte ist jetzt Ihre Standardkarte.',
    'done.details-saved': 'Ihre Angaben wurden gespeichert.',
    'done.plan-changed': 'Ihr Tarif wurde gewechselt.',
    'done.plan-scheduled': 'Ihr Tarif wechselt mit dem Ende des laufenden Zeitraums.',
    'done.plan-paying':
      'Ihre Zahlung wird bearbeitet. Ihr Tarif wechselt, sobald sie eingegangen ist.',
    'done.plan-kept': 'Sie behalten Ihren jetzigen Tarif.',
    'signIn.askTitle': 'Im Abrechnungsportal anmelden',
    'signIn.askText': 'Wir senden Ihnen einen Link, der das Portal öffnet.',
    'signIn.send': 'Link senden',
    'signIn.sentTitle': 'Sehen Sie in Ihre E-Mails',
    'signIn.sentText': 'Wenn wir diese Adresse kennen, haben wir einen Link dorthin gesendet.',
    'signIn.title': 'Ihr Abrechnungsportal',
    'signIn.text':
      'Sehen Sie Abonnements, Nutzung und Rechnungen ein und verwalten Sie Ihre Zahlungsmethoden.',
    'signIn.open': 'Portal öffnen',
    'signIn.once': 'Dieser Link funktioniert nur einmal. Geben Sie ihn nicht weiter.',
    'signIn.used': 'Dieser Link wurde bereits verwendet',
    'signIn.expired': 'Dieser Link ist abgelaufen',
    'signIn.newLink':
      'Ein Portal-Link funktioniert nur einmal und läuft nach einer Stunde ab. Bitte fordern Sie dort einen neuen an, wo Sie diesen gefunden haben.',
    'signIn.usedHere': 'Falls Sie ihn in diesem Browser geöffnet haben: {link}.',
    'signIn.continue': 'weiter zum Portal',
    'signIn.signedOut': 'Sie sind abgemeldet',
    'signIn.signedOutText': 'Um das Portal wieder zu öffnen, brauchen Sie einen neuen Link.',
    'signIn.back': 'Zurück',
    'signIn.sessionExpired': 'Ihre Sitzung ist abgelaufen',
    'signIn.sessionExpiredText':
      'Eine Sitzung im Portal dauert eine Stunde. Bitte fordern Sie dort einen neuen Link an, wo Sie den letzten gefunden haben.',
    'overview.noSubscriptions': 'Keine Abonnements',
    'overview.noSubscriptionsText':
      'Sie haben keine aktiven Abonnements. Hier finden Sie Ihre {invoices}.',
    'overview.invoicesLink': 'Rechnungen',
    'overview.overdue': 'Eine Zahlung ist überfällig',
    'overview.openInvoices': 'Offene Rechnungen',
    'overview.overdueText':
      'Bitte bezahlen Sie oder fügen Sie eine andere Karte hinzu, um Ihr Abonnement zu behalten.',
    'overview.balance': 'Guthaben',
    'overview.balanceText':
      'Ihr Guthaben beträgt {amounts}. Ihre nächsten Rechnungen verwenden es zuerst.',
    'overview.fixPayment': 'Zahlung nachholen',
    'overview.pay': 'Bezahlen',
    'overview.ofInvoice': ' von Rechnung {number}',
    'overview.nextInvoice': 'Nächste Rechnung',
    'overview.nextCharge': 'Nächste Abbuchung',
    'overview.amountOn': '{amount} am {date}',
    'overview.discountOff': '{name}: {amount} Nachlass',
    'overview.usageSoFar': 'Nutzung bisher',
    'overview.about': 'etwa {amount}',
    'overview.estimate': 'Schätzung.',
    'overview.estimateBefore': 'Schätzung vor Rabatten.',
    'overview.billedAtEnd': 'Wird am Ende des Abonnements abgerechnet.',
    'overview.addedToNext': 'Kommt zur nächsten Rechnung hinzu.',
    'overview.seeUsage': 'Nutzung ansehen',
    'overview.chargedTo': 'Wird abgebucht von {card}.',
    'overview.changePaying': 'Ihr Wechsel zu {plan}, wird bezahlt.',
    'overview.changeAt': 'Wechselt zu {plan}, am {date}.',
    'overview.keepPlan': 'Jetzigen Tarif behalten',
    'overview.pausesOn': 'Pausiert ab {date}.',
    'overview.pausedSince': 'Pausiert seit {since}.',
    'overview.pausedUntil': 'Pausiert seit {since}. Wird am {date} fortgesetzt.',
    'overview.changePlan': 'Tarif wechseln',
    'overview.cancelSubscription': 'Abonnement kündigen',
    'overview.endsOn': 'Ihr Abonnement endet am {date} und verlängert sich nicht.',
    'overview.keepSubscription': 'Abonnement behalten',
    'overview.paymentMethod': 'Zahlungsmethode',
    'overview.invoicesSent':
      'Sie erhalten Rechnungen. Bitte bezahlen Sie jede Rechnung bis zum Fälligkeitsdatum.',
    'overview.noCard':
      'Es ist keine Karte gespeichert. Fügen Sie eine Karte hinzu, um Ihr Abonnement zu bezahlen.',
    'overview.cardCharged': '{card} wird belastet.',
    'overview.cardChargedExcept':
      '{card} wird belastet, außer bei Abonnements, die eine andere Karte nennen.',
    'overview.managePaymentMethods': 'Zahlungsmethoden verwalten',
    'overview.billingDetails': 'Rechnungsangaben',
    'overview.editDetails': 'Kontaktdaten bearbeiten',
    'overview.ended': 'Beendet',
    'overview.endedOn': 'beendet am {date}',
    'status.pastDue': 'Überfällig',
    'status.ending': 'Endet',
    'status.trial': 'Testphase',
    'status.scheduled': 'Geplant',
    'status.paused': 'Pausiert',
    'status.active': 'Aktiv',
    'usagePage.tooMuch': 'über dem Höchstbetrag einer Rechnung',
    'usagePage.none': 'Ihr Tarif enthält keine nutzungsabhängigen Kosten.',
    'usagePage.units': 'Einheiten',
    'usagePage.amount': '{quantity} {units}',
    'usagePage.included': '{quantity} von {included} {units} enthalten',
    'usagePage.credits': 'Vorausbezahlt: noch {remaining} von {granted} {units}',
    'usagePage.additional': 'Zusätzliche Nutzung: {quantity} {units}',
    'usagePage.additionalCost': 'Zusätzliche Nutzung: {quantity} {units}, {cost}',
    'usagePage.cost': 'Kosten: {cost}',
    'usagePage.aboutSoFar': 'bisher etwa {amount}',
    'invoices.none': 'Es gibt noch keine Rechnungen.',
    'invoices.status': 'Status',
    'invoices.pdfOf': ' von {number}',
    'invoices.theInvoice': 'der Rechnung',
    'invoices.pages': 'Seiten der Rechnungen',
    'invoices.newer': 'Neuere',
    'invoices.older': 'Ältere',
    'invoices.page': 'Seite {page} von {pages}',
    'invoices.purchaseOpen': 'Diese Rechnung gehört zu einem nicht abgeschlossenen Kauf.',
    'invoices.continuePurchase': 'Kauf fortsetzen',
    'invoices.payWithThisCard': '{amount} mit dieser Karte bezahlen',
    'invoices.payThis': 'Diese Rechnung bezahlen',
    'invoices.payWithAnother': 'Mit einer anderen Karte bezahlen',
    'invoices.savedCards': 'Gespeicherte Karten',
    'methods.none': 'Es ist keine Karte gespeichert.',
    'methods.add': 'Karte hinzufügen',
    'methods.save': 'Karte speichern',
    'methods.default': 'Standard',
    'methods.savedOn': 'Gespeichert am {date}.',
    'methods.defaultFirst':
      'Um diese Karte zu entfernen, machen Sie zuerst eine andere zur Standardkarte.',
    'methods.makeDefault': 'Als Standard festlegen',
    'methods.remove': 'Entfernen',
    'methods.useAsDefault': 'Als Standard verwenden',
    'methods.openCharged': 'Offene Rechnungen werden jetzt von dieser Karte abgebucht.',
    'methods.isDefault': 'Machen Sie zuerst eine andere Karte zur Standardkarte.',
    'methods.inUse':
      'Mit dieser Karte wird ein laufendes Abonnement bezahlt. Fügen Sie zuerst eine andere hinzu.',
    'methods.tooMany':
      'Sie haben die Höchstzahl gespeicherter Karten erreicht. Entfernen Sie zuerst eine.',
    'cancel.title': '{product} kündigen?',
    'cancel.pageTitle': '{product} kündigen',
    'cancel.scheduled':
      'Ihr Abonnement hat noch nicht begonnen. Wenn Sie jetzt kündigen, beginnt es am {date} nicht, und Ihnen wird nichts berechnet. Das lässt sich nicht rückgängig machen.',
    'cancel.running':
      'Sie behalten den Zugang bis zum {date}. Ihr Abonnement verlängert sich nicht. Bis dahin können Sie die Kündigung zurücknehmen.',
    'cancel.usage': 'Nutzung über das Enthaltene hinaus wird noch abgerechnet.',
    'cancel.now': 'Jetzt kündigen',
    'cancel.atEnd': 'Zum Ende des Zeitraums kündigen',
    'plan.change': 'Tarif wechseln',
    'plan.notPossible': 'Dieser Wechsel ist nicht möglich',
    'plan.current': 'Jetziger Tarif: {plan}',
    'plan.named': '{name}, {terms}',
    'plan.noOther': 'Für dieses Abonnement ist kein anderer Tarif verfügbar.',
    'plan.exactPrice': 'Sie sehen den genauen Preis, bevor etwas geändert wird.',
    'plan.review': 'Wechsel prüfen',
    'plan.backToOverview': 'Zurück zur Übersicht',
    'plan.yours': '{name} (Ihr Tarif)',
    'plan.inTiers': '{quantity} Einheiten, Preis nach Staffel',
    'plan.times': '{quantity} × {terms}',
    'plan.nothingToChange': 'Das ist bereits Ihr Tarif.',
    'plan.changePaying':
      'Ein anderer Wechsel wird gerade bezahlt. Bitte versuchen Sie es gleich noch einmal.',
    'plan.setToCancel':
      'Ihr Abonnement ist gekündigt. Nehmen Sie die Kündigung zurück, bevor Sie es ändern.',
    'plan.tooManyChanges': 'Dieses Abonnement wurde in diesem Zeitraum zu oft geändert.',
    'plan.refused': 'Bitte wählen Sie einen anderen Tarif oder wenden Sie sich an den Verkäufer.',
    'review.title': 'Prüfen Sie Ihren Wechsel',
    'review.now': 'Jetzt',
    'review.then': 'Danach',
    'review.starts': 'Beginn',
    'review.stale': 'Der Preis hat sich inzwischen geändert.',
    'review.again': 'Bitte prüfen Sie erneut.',
    'review.notChanged': 'Ihr Tarif wurde nicht gewechselt.',
    'review.today': 'Heute',
    'review.untilThen':
      'Bis dahin behalten Sie Ihren jetzigen Tarif und können den Wechsel zurücknehmen.',
    'review.noCard': 'Es ist keine Karte gespeichert. Zuerst: {addCard}.',
    'review.addCard': 'Karte hinzufügen',
    'review.chargedTo': 'Wird abgebucht von {card}',
    'review.getInvoice': 'Sie erhalten eine Rechnung.',
    'review.takenOff': 'Von offenen Rechnungen abgezogen',
    'review.usageSoFar': 'Mit der bisherigen Nutzung.',
    'review.usageUntilToday': 'Nutzung bis heute',
    'review.ownInvoice': 'Auf einer eigenen Rechnung.',
    'review.payAndChange': '{amount} bezahlen und Tarif wechseln',
    'review.confirm': 'Wechsel bestätigen',
    'review.another': 'Anderen Tarif wählen',

    // Mails.
    testMail: 'TEST: Diese E-Mail stammt aus einer Testumgebung. Es wird kein Geld bewegt.',
    contact: 'Fragen? Schreiben Sie an {email}.',
    automaticMail:
      '{hasSeller, select, true {{seller} versendet} other {Wir versenden}} diese E-Mail automatisch.',
    'paymentReason.card_declined': 'Die Karte wurde abgelehnt.',
    'paymentReason.insufficient_funds': 'Die Karte hat keine ausreichende Deckung.',
    'paymentReason.expired_card': 'Die Karte ist abgelaufen.',
    'paymentReason.card_not_supported': 'Die Karte wird nicht unterstützt.',
    'paymentReason.currency_not_supported': 'Die Karte unterstützt diese Währung nicht.',
    'paymentReason.payment_method_unavailable': 'Die Karte kann nicht mehr belastet werden.',
    'paymentReason.no_payment_method': 'Es ist keine Zahlungsmethode gespeichert.',
    'paymentReason.other': 'Die Zahlung konnte nicht verarbeitet werden.',
  },
};
