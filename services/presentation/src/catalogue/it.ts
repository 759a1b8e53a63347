import type { Catalogue } from './catalogue';

const greeting = 'Gentile {{customer.name}},';

/** The Italian texts. */
export const it: Catalogue = {
  mails: {
    INVOICE_ISSUED: {
      subject:
        'Fattura {{invoice.number}}{{#seller.name}} di {{seller.name}}{{/seller.name}}: {{invoice.amountDue}}',
      body: `# Fattura {{invoice.number}}

${greeting}

la sua fattura di {{invoice.amountDue}} è disponibile.{{#invoice.dueDate}} La preghiamo di pagarla entro il {{invoice.dueDate}}.{{/invoice.dueDate}}

{{#invoice.description}}- {{invoice.description}}{{/invoice.description}}

[Visualizza e paga la fattura]({{link}})`,
    },
    RECEIPT: {
      subject:
        'Ricevuta per la fattura {{invoice.number}}{{#seller.name}} di {{seller.name}}{{/seller.name}}',
      body: `# Grazie per il suo pagamento

${greeting}

abbiamo ricevuto il suo pagamento per la fattura {{invoice.number}}.

- Totale: {{invoice.total}}
{{#invoice.description}}- {{invoice.description}}{{/invoice.description}}
{{#invoice.paidAt}}- Pagata il {{invoice.paidAt}}{{/invoice.paidAt}}

{{#link}}[Visualizza la fattura]({{link}}){{/link}}`,
    },
    PAYMENT_FAILED: {
      subject: 'Il suo pagamento di {{invoice.amountDue}} non è riuscito',
      body: `# Il suo pagamento non è riuscito

${greeting}

non siamo riusciti ad addebitare {{invoice.amountDue}} per la fattura {{invoice.number}}. {{payment.reason}}

{{#payment.nextAttemptAt}}Riproveremo il {{payment.nextAttemptAt}}. {{/payment.nextAttemptAt}}Può pagare subito, anche con un’altra carta.

[Paga la fattura]({{link}})`,
    },
    ACTION_REQUIRED: {
      subject: 'Confermi il suo pagamento di {{invoice.amountDue}}',
      body: `# Confermi il suo pagamento

${greeting}

la sua banca le chiede di confermare il pagamento di {{invoice.amountDue}} per la fattura {{invoice.number}}.

[Conferma il pagamento]({{link}})`,
    },
    PAYMENT_REMINDER: {
      subject: 'Promemoria: la fattura {{invoice.number}} non è stata pagata',
      body: `# La fattura {{invoice.number}} non è stata pagata

${greeting}

non abbiamo ricevuto {{invoice.amountDue}} per la fattura {{invoice.number}}{{#invoice.dueDate}}, scaduta il {{invoice.dueDate}}{{/invoice.dueDate}}.

[Visualizza e paga la fattura]({{link}})`,
    },
    CREDIT_NOTE_ISSUED: {
      subject:
        'Nota di credito {{creditNote.number}}{{#seller.name}} di {{seller.name}}{{/seller.name}}',
      body: `# Nota di credito {{creditNote.number}}

${greeting}

abbiamo accreditato {{creditNote.total}} della fattura {{invoice.number}}.

{{#link}}[Visualizza la fattura]({{link}}){{/link}}`,
    },
    CARD_EXPIRING: {
      subject: 'La sua carta sta per scadere',
      body: `# La sua carta sta per scadere

${greeting}

la sua carta{{#card}} {{card}}{{/card}} scade{{#card.expiry}} alla fine di {{card.expiry}}{{/card.expiry}}. Aggiunga un’altra carta prima del prossimo pagamento.

{{#link}}[Aggiorna il metodo di pagamento]({{link}}){{/link}}`,
    },
    TRIAL_STARTED: {
      subject:
        'Il suo periodo di prova{{#subscription.product}} di {{subscription.product}}{{/subscription.product}} è iniziato',
      body: `# Il suo periodo di prova è iniziato

${greeting}

il suo periodo di prova{{#subscription.product}} di {{subscription.product}}{{/subscription.product}} dura fino al {{subscription.trialEnd}}. In seguito l’abbonamento è a pagamento.

{{#link}}[Gestisci l’abbonamento]({{link}}){{/link}}`,
    },
    TRIAL_ENDING: {
      subject:
        'Il suo periodo di prova{{#subscription.product}} di {{subscription.product}}{{/subscription.product}} termina il {{subscription.trialEnd}}',
      body: `# Il suo periodo di prova sta per terminare

${greeting}

il suo periodo di prova{{#subscription.product}} di {{subscription.product}}{{/subscription.product}} termina il {{subscription.trialEnd}}.{{#subscription.upcomingAmount}} In quella data le verranno addebitati {{subscription.upcomingAmount}}.{{/subscription.upcomingAmount}}

{{#link}}[Gestisci l’abbonamento]({{link}}){{/link}}`,
    },
    RENEWAL_UPCOMING: {
      subject: 'Il suo abbonamento si rinnova il {{subscription.upcomingAt}}',
      body: `# Il suo abbonamento sta per rinnovarsi

${greeting}

il suo abbonamento{{#subscription.product}} a {{subscription.product}}{{/subscription.product}} si rinnova il {{subscription.upcomingAt}}. In quella data le verranno addebitati {{subscription.upcomingAmount}}.

{{#link}}[Gestisci l’abbonamento]({{link}}){{/link}}`,
    },
    CANCELLATION_SCHEDULED: {
      subject: 'Il suo abbonamento termina il {{subscription.endsAt}}',
      body: `# Il suo abbonamento sta per terminare

${greeting}

il suo abbonamento{{#subscription.product}} a {{subscription.product}}{{/subscription.product}} è stato disdetto. Resta attivo fino al {{subscription.endsAt}}.

{{#link}}[Gestisci l’abbonamento]({{link}}){{/link}}`,
    },
    SUBSCRIPTION_CANCELED: {
      subject: 'Il suo abbonamento è terminato',
      body: `# Il suo abbonamento è terminato

${greeting}

il suo abbonamento{{#subscription.product}} a {{subscription.product}}{{/subscription.product}} è terminato{{#subscription.endsAt}} il {{subscription.endsAt}}{{/subscription.endsAt}}. Non verrà più addebitato.`,
    },
    PORTAL_LINK: {
      subject: 'Il suo link di accesso{{#seller.name}} a {{seller.name}}{{/seller.name}}',
      body: `# Il suo link di accesso

${greeting}

apra il portale di fatturazione con questo link. Funziona una sola volta, entro un’ora.

[Apri il portale]({{link}})

Se non ha richiesto questo link, ignori questa e-mail.`,
    },
  },
  phrases: {
    // Frame of pages.
    'page.testMode': 'Modalità di prova',
    'page.testModeNote': 'Nessun addebito reale.',
    'footer.questions': 'Domande?',
    'footer.support': 'Assistenza',
    'footer.terms': 'Condizioni',
    'footer.privacy': 'Privacy',
    'footer.languages': 'Lingue',
    'failure.didNotWork': 'Operazione non riuscita',
    'failure.unreadable': 'Non è stato possibile leggere il modulo. Riprovi.',
    'failure.foreignForm':
      'Il modulo è stato inviato da un altro sito. Apra di nuovo la pagina e riprovi da lì.',
    'failure.notFoundTitle': 'Pagina non trovata',
    'failure.notFound': 'Questa pagina non esiste. Controlli l’indirizzo o contatti il venditore.',
    'failure.unsupportedAction': 'Questa pagina non consente l’operazione.',
    'failure.conflict': 'Non è più possibile. Apra di nuovo la pagina.',
    'failure.tooLong': 'Il testo inserito è troppo lungo.',
    'failure.tooManyTitle': 'Troppe richieste',
    'failure.tooMany': 'Attenda un momento e riprovi.',
    'failure.unavailableTitle': 'Temporaneamente non disponibile',
    'failure.unavailable':
      'Riprovi tra poco. Se stava pagando, controlli prima la pagina: il pagamento potrebbe essere andato a buon fine.',
    'failure.faultTitle': 'Si è verificato un errore',
    'failure.fault':
      'L’errore è nostro. Se stava pagando, controlli prima la pagina: il pagamento potrebbe essere andato a buon fine.',
    'failure.back': 'Torna alla pagina',

    // Forms.
    labeled: '{label}: {text}',
    sentences: '{first} {second}',
    'form.optional': '(facoltativo)',
    'form.fixFields': 'Corregga i campi seguenti',
    'form.form': 'Modulo',
    'form.continue': 'Continua',
    'form.confirm': 'Conferma',
    'form.save': 'Salva',
    'form.cancelBack': 'Annulla e torna indietro',
    'field.name': 'Nome',
    'field.email': 'E-mail',
    'field.phone': 'Telefono',
    'field.language': 'Lingua',
    'field.languageAutomatic': 'Come nel browser',
    'field.quantity': 'Quantità',
    'field.product': 'Prodotto',
    'field.plan': 'Piano',
    'field.country': 'Paese',
    'field.company': 'Nome o azienda',
    'field.taxId': 'Partita IVA o codice fiscale',
    'field.taxIdHint': 'Per le aziende, con il paese davanti, ad esempio DE136695976.',
    'field.emailOrderHint': 'Per la fattura e gli aggiornamenti sul suo ordine.',
    'field.emailPortalHint': 'Per le fatture e gli aggiornamenti sul suo abbonamento.',
    'field.quantityRange': 'Da {min} a {max}',
    'field.quantityPlanHint': 'Per i piani con prezzo per unità.',
    'address.address': 'Indirizzo',
    'address.line1': 'Via e numero civico',
    'address.line2': 'Interno, scala',
    'address.postalCode': 'CAP',
    'address.city': 'Città',
    'address.state': 'Provincia o regione',
    'problem.discountCode': 'Questo codice non è valido.',
    'problem.required': 'Obbligatorio',
    'problem.email': 'Indirizzo e-mail non valido',
    'problem.country': 'Paese non valido',
    'problem.taxId': 'Partita IVA o codice fiscale non valido',
    'problem.tooLong': 'Al massimo {max} caratteri',
    'problem.controlCharacters': 'Non deve contenere caratteri di controllo',
    'problem.expiryFormat': 'Deve avere il formato MM/AA',
    'problem.cardExpired': 'La carta è scaduta',
    'problem.codeDigits': 'Deve avere 3 o 4 cifre',
    'problem.testCardsOnly': 'Qui si accettano solo carte di prova',
    'problem.wholeNumber': 'Deve essere un numero intero da {min, number} a {max, number}',
    'problem.totalTooLarge': 'Il totale supera l’importo massimo',
    'problem.choosePlan': 'Scelga un piano',
    'problem.planGone': 'Questo piano non è più disponibile',
    'problem.locale': 'Lingua non supportata',
    'problem.other': 'Controlli questo campo',

    // Cards and payments.
    'card.number': 'Numero della carta',
    'card.expiry': 'Scadenza',
    'card.expiryHint': 'MM/AA',
    'card.code': 'Codice di sicurezza',
    'card.codeHint': '3 o 4 cifre',
    'card.holder': 'Nome sulla carta',
    'card.totalChanged': 'Il totale è cambiato.',
    'card.nothingCharged': 'Non è stato addebitato nulla.',
    'card.unavailable':
      'I pagamenti con carta non sono disponibili al momento. Contatti il venditore.',
    'card.atProvider':
      'Inserirà la carta nella pagina del nostro fornitore di pagamenti, poi tornerà qui.',
    'card.toProvider': 'Continua ai dati della carta',
    'card.providerTitle': 'Dati della carta',
    'card.providerText':
      'Inserirà la carta nella pagina del nostro fornitore di pagamenti. Se la pagina non si apre automaticamente, usi il pulsante qui sotto.',
    'card.ready': 'La sua carta è pronta',
    'card.useAnother': 'Usa un’altra carta',
    'card.testCards': 'Carte di prova',
    'card.testCardsHint':
      'Usi una data di scadenza futura e un codice di sicurezza qualsiasi. Gli altri numeri di carta vengono rifiutati.',
    'card.testNumber': 'Numero',
    'card.testEffect': 'Effetto',
    'testCard.succeeds': 'riesce',
    'testCard.succeedsMastercard': 'riesce (Mastercard)',
    'testCard.challenge': 'richiede 3-D Secure una volta',
    'testCard.challengeDeclined': 'richiede 3-D Secure, poi viene rifiutata',
    'testCard.declined': 'viene rifiutata',
    'testCard.insufficientFunds': 'non ha fondi sufficienti',
    'testCard.processingError': 'fallisce con un errore di elaborazione',
    'testCard.expired': 'è scaduta',
    'testCard.lost': 'è stata smarrita',
    'testCard.stolen': 'è stata rubata',
    'testCard.laterFails': 'viene salvata, ma ogni addebito successivo fallisce',
    'testCard.renewalFails': 'fallisce ai primi due rinnovi, poi riesce',
    'testCard.belowMinimum': 'non accetta importi inferiori a 50 unità minime',
    'testCard.refunded': 'viene rimborsata un giorno dopo',
    'testCard.notRefundable': 'non può essere rimborsata',
    'testCard.disputeLost': 'viene contestata un giorno dopo e la contestazione è persa',
    'testCard.disputeWon': 'viene contestata un giorno dopo e la contestazione è vinta',
    'card.endingIn': '{brand} che termina con {last4}',
    'card.expires': 'Scade {date}.',
    'card.expired': 'Scaduta {date}.',
    'payment.pay': 'Paga {amount}',
    'payment.payByCard': 'Paga con carta',
    'payment.lastFailed': 'L’ultimo pagamento non è riuscito',
    'payment.failed': 'Il pagamento non è riuscito',
    'payment.processing': 'Il suo pagamento è in elaborazione',
    'payment.processingText': 'Ci vorrà un momento. La pagina si aggiorna automaticamente.',
    'payment.refresh': 'Aggiorna',
    'challenge.paymentTitle': 'Confermi il suo pagamento',
    'challenge.cardTitle': 'Confermi la sua carta',
    'challenge.payment':
      'La sua banca le chiede di confermare il pagamento di {amount} (3-D Secure).',
    'challenge.card':
      'La sua banca le chiede di confermare che i pagamenti successivi possono essere addebitati sulla sua carta (3-D Secure).',
    'challenge.testMode': 'Modalità di prova: scelga un esito.',
    'challenge.toBank': 'Continua alla sua banca',
    'challenge.approve': 'Approva',
    'challenge.decline': 'Rifiuta',
    'challenge.bankTitle': 'Conferma presso la sua banca',
    'challenge.bankText':
      'La sua banca le chiede di confermare questo pagamento. Se la pagina non si apre automaticamente, usi il pulsante qui sotto.',
    'payerMessage.card_declined': 'La sua carta è stata rifiutata.',
    'payerMessage.insufficient_funds': 'La sua carta non ha fondi sufficienti.',
    'payerMessage.processing_error': 'Non è stato possibile elaborare la sua carta. Riprovi.',
    'payerMessage.authentication_required': 'La sua banca non ha confermato il pagamento. Riprovi.',
    'payerMessage.expired_card': 'La sua carta è scaduta.',
    'payerMessage.card_not_supported': 'La sua carta non è supportata. Ne usi un’altra.',
    'payerMessage.currency_not_supported':
      'La sua carta non supporta questa valuta. Ne usi un’altra.',
    'payerMessage.payment_method_unavailable':
      'La sua carta non può più essere addebitata. Ne usi un’altra.',
    'payerMessage.amount_not_supported': 'Questo importo non può essere pagato con carta.',
    'payerMessage.no_payment_method': 'Nessun metodo di pagamento salvato.',
    'payerMessage.no_payment_provider': 'I pagamenti non sono disponibili al momento.',
    'payerMessage.other': 'Il suo pagamento non è riuscito. Riprovi.',

    // Invoices and credit notes.
    'invoice.invoice': 'Fattura',
    'invoice.title': 'Fattura {number}',
    'invoice.number': 'Numero',
    'invoice.date': 'Data',
    'invoice.due': 'Scadenza',
    'invoice.period': 'Periodo',
    'invoice.purchaseOrder': 'Ordine d’acquisto',
    'invoice.order': 'Ordine',
    'invoice.from': 'Da',
    'invoice.billedTo': 'Intestata a',
    'invoice.downloadPdf': 'Scarica in PDF',
    'invoice.bankTransfer': 'Bonifico bancario',
    'invoice.open': 'Da pagare',
    'invoice.paid': 'Pagata',
    'invoice.void': 'Annullata',
    'invoice.uncollectible': 'Inesigibile',
    'invoice.draft': 'Bozza',
    'invoice.paidText': 'Grazie. Questa fattura è pagata.',
    'invoice.paidOn': 'Grazie. Questa fattura è pagata. Pagamento ricevuto il {date}.',
    'invoice.settledOn': 'Grazie. Questa fattura è pagata. Saldata il {date}.',
    'invoice.voidText': 'Questa fattura è stata annullata. Non deve nulla.',
    'invoice.uncollectibleText':
      'Questa fattura non può più essere pagata qui. Contatti il venditore.',
    'invoice.description': 'Descrizione',
    'invoice.quantity': 'Quantità',
    'invoice.unitPrice': 'Prezzo unitario',
    'invoice.amount': 'Importo',
    'invoice.each': '{rate} per unità',
    'invoice.showCalculation': 'Mostra il calcolo',
    'invoice.subtotal': 'Subtotale',
    'invoice.total': 'Totale',
    'invoice.amountDue': 'Importo dovuto',
    'invoice.dueToday': 'Da pagare oggi',
    'invoice.discount': 'Sconto: {name}',
    'invoice.tax': 'Imposta',
    'invoice.taxOn': '{name} {percent}% su {amount}',
    'invoice.includes': 'Di cui {tax}',
    'invoice.legalTaxOn': '{text}, 0% su {amount}',
    'invoice.balanceApplied': 'Saldo utilizzato',
    'invoice.amountPaid': 'Pagato',
    'invoice.credited': 'Accreditato',
    'invoice.notPaid': 'Non pagato',
    'invoice.registrationNumber': 'Numero di registrazione: {number}',
    'invoice.reference': 'Riferimento: {reference}',
    'invoice.taxIdLine': 'Codice fiscale: {id}',
    'invoice.taxIdLabel': 'Codice fiscale',
    'invoice.accountHolder': 'Intestatario del conto: {holder}',
    'invoice.iban': 'IBAN: {iban}',
    'invoice.bic': 'BIC: {bic}',
    'invoice.paymentReference': 'Causale: {number}',
    'line.trial':
      '{product} (prova, {days, plural, one {# giorno} many {# giorni} other {# giorni}})',
    'line.unusedTime': 'Tempo non utilizzato di {product}',
    'line.remainingTime': 'Tempo rimanente di {product}',
    'creditNote.creditNotes': 'Note di credito',
    'creditNote.creditNote': 'Nota di credito',
    'creditNote.title': 'Nota di credito {number}',
    'creditNote.notNumbered': 'Ancora senza numero',
    'creditNote.invoiceOf': '{number} del {date}',
    'creditNote.creditedTo': 'Accreditata a',
    'creditNote.net': 'Imponibile',
    'creditNote.totalCredited': 'Totale accreditato',
    'creditNote.reduced': 'Detratto dall’importo dovuto',
    'creditNote.toBalance': 'Aggiunto al suo saldo',
    'creditNote.refunded': 'Rimborsato sulla sua carta',
    'creditNote.external': 'Restituito in altro modo',
    'creditNote.unsettled': 'Rimborso non riuscito, contatti il venditore',
    'pdf.testMark': 'TEST: documento di un ambiente di prova, non è una richiesta di pagamento',
    'pdf.payInvoice': 'Paga questa fattura',
    'pdf.page': 'Pagina {page} di {pages}',
    'pdf.paid': '{amount} pagati.',
    'pdf.paidOn': '{amount} pagati il {date}.',
    'pdf.creditNote': 'Nota di credito {number}: {amount}',
    'pdf.creditNoteOn': 'Nota di credito {number} del {date}: {amount}',

    // Purchases.
    'session.payFor': 'Paga {product}',
    'session.yourCountry': 'Il suo paese',
    'session.countryText': 'L’imposta dipende da dove ha sede.',
    'session.confirmOrder': 'Confermi il suo ordine',
    'session.addCode': 'Aggiungi un codice sconto',
    'session.discountCode': 'Codice sconto',
    'session.applyCode': 'Applica',
    'session.codeApplied': 'Lo sconto {discount} è applicato.',
    'session.removeCode': 'Rimuovi',
    'session.paymentRunning': 'Un pagamento è in corso.',
    'session.addTaxId': 'Aggiungi una partita IVA o un codice fiscale',
    'session.updateTotal': 'Aggiorna il totale',
    'session.discountTitle': 'Sconto non disponibile',
    'session.discountGone':
      'Lo sconto di questa offerta non è disponibile al momento. Pagherà il prezzo intero.',
    'session.nothingDue': 'Non c’è nulla da pagare. Non serve una carta.',
    'session.nothingDueToday': 'Oggi non c’è nulla da pagare.',
    'session.cardForLater':
      'Oggi non viene addebitato nulla. La carta viene salvata per i pagamenti successivi.',
    'session.withoutCard':
      'Senza una carta, i pagamenti successivi non riusciranno finché non ne aggiunge una.',
    'session.startTrial': 'Inizia la prova gratuita',
    'session.confirmed': 'Confermato',
    'session.thankYou': 'Grazie',
    'session.paymentReceived': 'Il suo pagamento è stato ricevuto.',
    'session.orderConfirmed': 'Il suo ordine è confermato. Non è stato addebitato nulla.',
    'session.downloadInvoice': 'Scarica la fattura {number} (PDF)',
    'session.expired': 'Questa procedura di pagamento è scaduta',
    'session.expiredTitle': 'Procedura di pagamento scaduta',
    'session.expiredText':
      'Non le è stato addebitato nulla. Per continuare, torni al sito del venditore e ricominci.',
    'session.dueToday': 'da pagare oggi',
    'session.estimatedToday': 'stimato, da pagare oggi',
    'session.quantity': 'Quantità: {quantity}',
    'session.quantityAt': 'Quantità: {quantity} × {rate}',
    'link.toPayment': 'Continua al pagamento',
    'link.updatePrices': 'Aggiorna i prezzi',
    'link.discountNext': 'Lo sconto viene applicato nella pagina successiva.',
    'link.discountSome':
      'Lo sconto su {products} viene applicato nella pagina successiva. Per tutto il resto pagherà il prezzo intero.',
    'link.ended': 'Questa offerta è terminata',
    'link.endedText': 'Questo link non è più attivo. Contatti il venditore.',
    'link.yourOrder': 'Il suo ordine',
    'link.chooseProduct': 'Scelga un prodotto',
    'link.quantityFor': '{quantity} per {terms}',

    // Terms in words.
    'every.day': '{count, plural, one {ogni giorno} many {ogni # giorni} other {ogni # giorni}}',
    'every.week':
      '{count, plural, one {ogni settimana} many {ogni # settimane} other {ogni # settimane}}',
    'every.month': '{count, plural, one {ogni mese} many {ogni # mesi} other {ogni # mesi}}',
    'every.year': '{count, plural, one {ogni anno} many {ogni # anni} other {ogni # anni}}',
    'terms.plusTax': '{amount} più imposte',
    'terms.includingTax': '{amount} imposte incluse',
    'terms.once': '{amount} una tantum',
    'terms.oneTime': 'Pagamento unico. Dopo non viene addebitato nulla.',
    'terms.recurring': '{amount} {recurrence}',
    'terms.recurringFrom': '{amount} {recurrence} dal {date}',
    'terms.today': '{amount} oggi',
    'terms.onDate': '{amount} il {date}',
    'terms.free':
      '{days, plural, one {# giorno gratis} many {# giorni gratis} other {# giorni gratis}}',
    'terms.then': '{first}, poi {next}',
    'terms.laterAfterOnce': 'Poi {next}',
    'terms.laterAfterRenewals': 'Lo stesso a ogni rinnovo, poi {next}',
    'terms.plusUsage': '{terms}, più il consumo',
    'terms.renews': 'Si rinnova {recurrence}.',
    'terms.renewsSame': 'Si rinnova {recurrence} allo stesso prezzo.',
    'terms.nextRenewal': 'Prossimo rinnovo il {date}. Disdetta in qualsiasi momento.',
    'terms.nextCharge': 'Prossimo addebito il {date}. Disdetta in qualsiasi momento.',
    'terms.nextUsageCharge':
      'Prossimo addebito del consumo il {date}. Disdetta in qualsiasi momento.',
    'terms.nextChargePlusUsage':
      'Prossimo addebito più il consumo il {date}. Disdetta in qualsiasi momento.',
    'terms.usageBilled': 'Il consumo viene fatturato a posteriori, {recurrence}:',
    'terms.usageAfterTrial': 'Il consumo dopo la prova viene fatturato a posteriori, {recurrence}:',
    'terms.each': '{rate} per unità',
    'terms.eachPlus': '{rate} per unità, più {flat}',
    'terms.allUnits': 'Tutte le unità {range}: {rate}',
    'terms.someUnits': 'Unità {range}: {rate}',
    'terms.above': 'oltre {from}',
    'terms.upTo': 'fino a {to}',
    'terms.aboveUpTo': 'oltre {from} fino a {to}',
    'terms.anyNumber': 'in qualsiasi quantità',
    'usage.usage': 'Consumo',
    'usage.named': '{name}: {terms}',
    'usage.included': '{quantity} inclusi {recurrence}, poi {terms}',
    'usage.package': '{rate} ogni {size}, arrotondato per eccesso',
    'usage.range': 'da {least} a {most} per unità, in base al volume',
    'usage.plusFlat': '{terms}, più fino a {flat} per fascia',
    'usage.atLeast': '{terms}, almeno {least} {recurrence}',
    'usage.atMost': '{terms}, al massimo {most} {recurrence}',
    'usage.atLeastAtMost': '{terms}, almeno {least} e al massimo {most} {recurrence}',

    // Portal.
    'portal.billing': 'Fatturazione',
    'portal.pageTitle': '{title} · Fatturazione',
    'portal.skip': 'Vai al contenuto',
    'portal.backTo': 'Torna a {host}',
    'portal.signOut': 'Esci',
    'portal.overview': 'Panoramica',
    'portal.usage': 'Consumo',
    'portal.invoices': 'Fatture',
    'portal.paymentMethods': 'Metodi di pagamento',
    'portal.contactDetails': 'Dati di contatto',
    'portal.shortPayment': 'Pagamento',
    'portal.shortContact': 'Contatti',
    'done.card-added': 'La carta è stata aggiunta.',
    'done.card-removed': 'La carta è stata rimossa.',
    'done.canceled': 'Il suo abbonamento terminerà alla fine del periodo in corso.',
    'done.ended': 'Il suo abbonamento è disdetto. Non le viene addebitato nulla.',
    'done.kept': 'Il suo abbonamento si rinnoverà come di consueto.',
    'done.default-changed': 'Questa carta è ora quella predefinita.',
    'done.details-saved': 'I suoi dati sono stati salvati.',
    'done.plan-changed': 'Il suo piano è stato cambiato.',
    'done.plan-scheduled': 'Il suo piano cambierà alla fine del periodo in corso.',
    'done.plan-paying':
      'Il suo pagamento è in elaborazione. Il piano cambia non appena viene ricevuto.',
    'done.plan-kept': 'Mantiene il piano attuale.',
    'signIn.askTitle': 'Accesso al portale di fatturazione',
    'signIn.askText': 'Le inviamo un link che apre il portale.',
    'signIn.send': 'Invia il link',
    'signIn.sentTitle': 'Controlli la sua e-mail',
    'signIn.sentText': 'Se conosciamo questo indirizzo, abbiamo inviato lì un link.',
    'signIn.title': 'Il suo portale di fatturazione',
    'signIn.text': 'Consulti abbonamenti, consumo e fatture e gestisca i suoi metodi di pagamento.',
    'signIn.open': 'Apri il portale',
    'signIn.once': 'Questo link funziona una sola volta. Non lo condivida.',
    'signIn.used': 'Questo link è già stato usato',
    'signIn.expired': 'Questo link è scaduto',
    'signIn.newLink':
      'Un link al portale funziona una sola volta e scade dopo un’ora. Ne richieda uno nuovo dove ha trovato questo.',
    'signIn.usedHere': 'Se l’ha aperto in questo browser, {link}.',
    'signIn.continue': 'continui al portale',
    'signIn.signedOut': 'È uscito dal portale',
    'signIn.signedOutText': 'Le serve un nuovo link per riaprire il portale.',
    'signIn.back': 'Indietro',
    'signIn.sessionExpired': 'La sua sessione è scaduta',
    'signIn.sessionExpiredText':
      'Una sessione del portale dura un’ora. Richieda un nuovo link dove ha trovato l’ultimo.',
    'overview.noSubscriptions': 'Nessun abbonamento',
    'overview.noSubscriptionsText': 'Non ha abbonamenti attivi. Consulti le sue {invoices}.',
    'overview.invoicesLink': 'fatture',
    'overview.overdue': 'Un pagamento è scaduto',
    'overview.openInvoices': 'Fatture da pagare',
    'overview.overdueText': 'Lo paghi o aggiunga un’altra carta per mantenere il suo abbonamento.',
    'overview.balance': 'Saldo',
    'overview.balanceText':
      'Il suo saldo è di {amounts}. Le prossime fatture lo utilizzano per prime.',
    'overview.fixPayment': 'Regolarizza',
    'overview.pay': 'Paga',
    'overview.ofInvoice': ' la fattura {number}',
    'overview.nextInvoice': 'Prossima fattura',
    'overview.nextCharge': 'Prossimo addebito',
    'overview.amountOn': '{amount} il {date}',
    'overview.discountOff': '{name}: {amount} di sconto',
    'overview.usageSoFar': 'Consumo finora',
    'overview.about': 'circa {amount}',
    'overview.estimate': 'Stima.',
    'overview.estimateBefore': 'Stima prima degli sconti.',
    'overview.billedAtEnd': 'Fatturato al termine dell’abbonamento.',
    'overview.addedToNext': 'Aggiunto alla prossima fattura.',
    'overview.seeUsage': 'Vedi il consumo',
    'overview.chargedTo': 'Addebitato su {card}.',
    'overview.changePaying': 'Il suo passaggio a {plan}, è in corso di pagamento.',
    'overview.changeAt': 'Passa a {plan}, il {date}.',
    'overview.keepPlan': 'Mantieni il piano attuale',
    'overview.pausesOn': 'In pausa dal {date}.',
    'overview.pausedSince': 'In pausa dal {since}.',
    'overview.pausedUntil': 'In pausa dal {since}. Riprende il {date}.',
    'overview.changePlan': 'Cambia piano',
    'overview.cancelSubscription': 'Disdici l’abbonamento',
    'overview.endsOn': 'Il suo abbonamento termina il {date} e non si rinnova.',
    'overview.keepSubscription': 'Mantieni l’abbonamento',
    'overview.paymentMethod': 'Metodo di pagamento',
    'overview.invoicesSent': 'Le fatture le vengono inviate. Paghi ogni fattura entro la scadenza.',
    'overview.noCard': 'Nessuna carta salvata. Aggiunga una carta per pagare il suo abbonamento.',
    'overview.cardCharged': 'L’addebito avviene su {card}.',
    'overview.cardChargedExcept':
      'L’addebito avviene su {card}, tranne per gli abbonamenti che indicano un’altra carta.',
    'overview.managePaymentMethods': 'Gestisci i metodi di pagamento',
    'overview.billingDetails': 'Dati di fatturazione',
    'overview.editDetails': 'Modifica i dati di contatto',
    'overview.ended': 'Terminati',
    'overview.endedOn': 'terminato il {date}',
    'status.pastDue': 'Scaduto',
    'status.ending': 'In scadenza',
    'status.trial': 'Prova',
    'status.scheduled': 'Programmato',
    'status.paused': 'In pausa',
    'status.active': 'Attivo',
    'usagePage.tooMuch': 'oltre l’importo massimo di una fattura',
    'usagePage.none': 'Il suo piano non prevede costi a consumo.',
    'usagePage.units': 'unità',
    'usagePage.amount': '{quantity} {units}',
    'usagePage.included': '{quantity} di {included} {units} inclusi',
    'usagePage.credits': 'Crediti prepagati: restano {remaining} di {granted} {units}',
    'usagePage.additional': 'Consumo aggiuntivo: {quantity} {units}',
    'usagePage.additionalCost': 'Consumo aggiuntivo: {quantity} {units}, {cost}',
    'usagePage.cost': 'Costo: {cost}',
    'usagePage.aboutSoFar': 'circa {amount} finora',
    'invoices.none': 'Non ci sono ancora fatture.',
    'invoices.status': 'Stato',
    'invoices.pdfOf': ' di {number}',
    'invoices.theInvoice': 'la fattura',
    'invoices.pages': 'Pagine delle fatture',
    'invoices.newer': 'Più recenti',
    'invoices.older': 'Meno recenti',
    'invoices.page': 'Pagina {page} di {pages}',
    'invoices.purchaseOpen': 'Questa fattura appartiene a un acquisto non completato.',
    'invoices.continuePurchase': 'Continua l’acquisto',
    'invoices.payWithThisCard': 'Paga {amount} con questa carta',
    'invoices.payThis': 'Paga questa fattura',
    'invoices.payWithAnother': 'Paga con un’altra carta',
    'invoices.savedCards': 'Carte salvate',
    'methods.none': 'Nessuna carta salvata.',
    'methods.add': 'Aggiungi una carta',
    'methods.save': 'Salva la carta',
    'methods.default': 'Predefinita',
    'methods.savedOn': 'Salvata il {date}.',
    'methods.defaultFirst':
      'Per rimuovere questa carta, ne imposti prima un’altra come predefinita.',
    'methods.makeDefault': 'Imposta come predefinita',
    'methods.remove': 'Rimuovi',
    'methods.useAsDefault': 'Usa come predefinita',
    'methods.openCharged': 'Le fatture da pagare vengono addebitate subito su questa carta.',
    'methods.isDefault': 'Imposti prima un’altra carta come predefinita.',
    'methods.inUse':
      'Questa carta paga un abbonamento ancora in corso. Aggiunga prima un’altra carta.',
    'methods.tooMany': 'Ha raggiunto il numero massimo di carte salvate. Ne rimuova prima una.',
    'cancel.title': 'Disdire {product}?',
    'cancel.pageTitle': 'Disdici {product}',
    'cancel.scheduled':
      'Il suo abbonamento non è ancora iniziato. Se lo disdice ora, non inizierà il {date} e non le verrà addebitato nulla. L’operazione è definitiva.',
    'cancel.running':
      'Mantiene l’accesso fino al {date}. Il suo abbonamento non si rinnova. Fino ad allora può revocare la disdetta.',
    'cancel.usage': 'Il consumo oltre quanto incluso viene comunque fatturato.',
    'cancel.now': 'Disdici ora',
    'cancel.atEnd': 'Disdici alla fine del periodo',
    'plan.change': 'Cambia piano',
    'plan.notPossible': 'Questo cambio non è possibile',
    'plan.current': 'Piano attuale: {plan}',
    'plan.named': '{name}, {terms}',
    'plan.noOther': 'Nessun altro piano è disponibile per questo abbonamento.',
    'plan.exactPrice': 'Vedrà il prezzo esatto prima di qualsiasi modifica.',
    'plan.review': 'Verifica il cambio',
    'plan.backToOverview': 'Torna alla panoramica',
    'plan.yours': '{name} (il suo piano)',
    'plan.inTiers': '{quantity} unità, prezzo a fasce',
    'plan.times': '{quantity} × {terms}',
    'plan.nothingToChange': 'Questo è già il suo piano.',
    'plan.changePaying': 'Un altro cambio è in corso di pagamento. Riprovi tra poco.',
    'plan.setToCancel': 'Il suo abbonamento è disdetto. Revochi la disdetta prima di modificarlo.',
    'plan.tooManyChanges': 'Questo abbonamento è stato modificato troppo spesso nel periodo.',
    'plan.refused': 'Scelga un altro piano o contatti il venditore.',
    'review.title': 'Verifichi il cambio',
    'review.now': 'Ora',
    'review.then': 'Dopo',
    'review.starts': 'Inizio',
    'review.stale': 'Nel frattempo il prezzo è cambiato.',
    'review.again': 'Verifichi di nuovo.',
    'review.notChanged': 'Il suo piano non è cambiato.',
    'review.today': 'Oggi',
    'review.untilThen': 'Fino ad allora mantiene il piano attuale e può annullare questo cambio.',
    'review.noCard': 'Nessuna carta salvata. Prima: {addCard}.',
    'review.addCard': 'aggiunga una carta',
    'review.chargedTo': 'Addebitato su {card}',
    'review.getInvoice': 'Riceverà una fattura.',
    'review.takenOff': 'Detratto dalle fatture da pagare',
    'review.usageSoFar': 'Include il consumo fino a oggi.',
    'review.usageUntilToday': 'Consumo fino a oggi',
    'review.ownInvoice': 'In una fattura separata.',
    'review.payAndChange': 'Paga {amount} e cambia piano',
    'review.confirm': 'Conferma il cambio',
    'review.another': 'Scegli un altro piano',

    // Mails.
    testMail: 'TEST: questa e-mail proviene da un ambiente di prova. Non viene mosso denaro.',
    contact: 'Domande? Scriva a {email}.',
    automaticMail:
      '{hasSeller, select, true {{seller} invia questa e-mail} other {Inviamo questa e-mail}} automaticamente.',
    'paymentReason.card_declined': 'La carta è stata rifiutata.',
    'paymentReason.insufficient_funds': 'La carta non ha fondi sufficienti.',
    'paymentReason.expired_card': 'La carta è scaduta.',
    'paymentReason.card_not_supported': 'La carta non è supportata.',
    'paymentReason.currency_not_supported': 'La carta non supporta questa valuta.',
    'paymentReason.payment_method_unavailable': 'La carta non può più essere addebitata.',
    'paymentReason.no_payment_method': 'Nessun metodo di pagamento salvato.',
    'paymentReason.other': 'Non è stato possibile elaborare il pagamento.',
  },
};
