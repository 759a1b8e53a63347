import type { Catalogue } from './catalogue';

const greeting = 'Dzień dobry, {{customer.name}},';

/** The Polish texts. */
export const pl: Catalogue = {
  mails: {
    INVOICE_ISSUED: {
      subject:
        'Faktura {{invoice.number}}{{#seller.name}} od {{seller.name}}{{/seller.name}}: {{invoice.amountDue}}',
      body: `# Faktura {{invoice.number}}

${greeting}

Twoja faktura na kwotę {{invoice.amountDue}} jest gotowa.{{#invoice.dueDate}} Prosimy o zapłatę do {{invoice.dueDate}}.{{/invoice.dueDate}}

{{#invoice.description}}- {{invoice.description}}{{/invoice.description}}

[Zobacz i opłać fakturę]({{link}})`,
    },
    RECEIPT: {
      subject:
        'Potwierdzenie płatności za fakturę {{invoice.number}}{{#seller.name}} od {{seller.name}}{{/seller.name}}',
      body: `# Dziękujemy za płatność

${greeting}

Otrzymaliśmy Twoją płatność za fakturę {{invoice.number}}.

- Razem: {{invoice.total}}
{{#invoice.description}}- {{invoice.description}}{{/invoice.description}}
{{#invoice.paidAt}}- Data płatności: {{invoice.paidAt}}{{/invoice.paidAt}}

{{#link}}[Zobacz fakturę]({{link}}){{/link}}`,
    },
    PAYMENT_FAILED: {
      subject: 'Twoja płatność na kwotę {{invoice.amountDue}} nie powiodła się',
      body: `# Twoja płatność nie powiodła się

${greeting}

Nie udało się pobrać {{invoice.amountDue}} za fakturę {{invoice.number}}. {{payment.reason}}

{{#payment.nextAttemptAt}}Spróbujemy ponownie {{payment.nextAttemptAt}}. {{/payment.nextAttemptAt}}Możesz zapłacić teraz, także inną kartą.

[Opłać fakturę]({{link}})`,
    },
    ACTION_REQUIRED: {
      subject: 'Potwierdź swoją płatność na kwotę {{invoice.amountDue}}',
      body: `# Potwierdź swoją płatność

${greeting}

Twój bank prosi o potwierdzenie płatności {{invoice.amountDue}} za fakturę {{invoice.number}}.

[Potwierdź płatność]({{link}})`,
    },
    PAYMENT_REMINDER: {
      subject: 'Przypomnienie: faktura {{invoice.number}} nie została opłacona',
      body: `# Faktura {{invoice.number}} nie została opłacona

${greeting}

Nie otrzymaliśmy {{invoice.amountDue}} za fakturę {{invoice.number}}{{#invoice.dueDate}}, której termin płatności minął {{invoice.dueDate}}{{/invoice.dueDate}}.

[Zobacz i opłać fakturę]({{link}})`,
    },
    CREDIT_NOTE_ISSUED: {
      subject:
        'Nota kredytowa {{creditNote.number}}{{#seller.name}} od {{seller.name}}{{/seller.name}}',
      body: `# Nota kredytowa {{creditNote.number}}

${greeting}

Obniżyliśmy fakturę {{invoice.number}} o {{creditNote.total}}.

{{#link}}[Zobacz fakturę]({{link}}){{/link}}`,
    },
    CARD_EXPIRING: {
      subject: 'Twoja karta wkrótce straci ważność',
      body: `# Twoja karta wkrótce straci ważność

${greeting}

Twoja karta{{#card}} {{card}}{{/card}} straci ważność{{#card.expiry}} z końcem {{card.expiry}}{{/card.expiry}}. Przed następną płatnością dodaj inną kartę.

{{#link}}[Zaktualizuj metodę płatności]({{link}}){{/link}}`,
    },
    TRIAL_STARTED: {
      subject:
        'Twój okres próbny{{#subscription.product}} {{subscription.product}}{{/subscription.product}} się rozpoczął',
      body: `# Twój okres próbny się rozpoczął

${greeting}

Twój okres próbny{{#subscription.product}} {{subscription.product}}{{/subscription.product}} trwa do {{subscription.trialEnd}}. Potem subskrypcja jest płatna.

{{#link}}[Zarządzaj subskrypcją]({{link}}){{/link}}`,
    },
    TRIAL_ENDING: {
      subject:
        'Twój okres próbny{{#subscription.product}} {{subscription.product}}{{/subscription.product}} kończy się {{subscription.trialEnd}}',
      body: `# Twój okres próbny wkrótce się skończy

${greeting}

Twój okres próbny{{#subscription.product}} {{subscription.product}}{{/subscription.product}} kończy się {{subscription.trialEnd}}.{{#subscription.upcomingAmount}} Pobierzemy wtedy {{subscription.upcomingAmount}}.{{/subscription.upcomingAmount}}

{{#link}}[Zarządzaj subskrypcją]({{link}}){{/link}}`,
    },
    RENEWAL_UPCOMING: {
      subject: 'Twoja subskrypcja odnowi się {{subscription.upcomingAt}}',
      body: `# Twoja subskrypcja wkrótce się odnowi

${greeting}

Twoja subskrypcja{{#subscription.product}} {{subscription.product}}{{/subscription.product}} odnowi się {{subscription.upcomingAt}}. Pobierzemy wtedy {{subscription.upcomingAmount}}.

{{#link}}[Zarządzaj subskrypcją]({{link}}){{/link}}`,
    },
    CANCELLATION_SCHEDULED: {
      subject: 'Twoja subskrypcja kończy się {{subscription.endsAt}}',
      body: `# Twoja subskrypcja się zakończy

${greeting}

Twoja subskrypcja{{#subscription.product}} {{subscription.product}}{{/subscription.product}} została anulowana. Pozostaje aktywna do {{subscription.endsAt}}.

{{#link}}[Zarządzaj subskrypcją]({{link}}){{/link}}`,
    },
    SUBSCRIPTION_CANCELED: {
      subject: 'Twoja subskrypcja się zakończyła',
      body: `# Twoja subskrypcja się zakończyła

${greeting}

Twoja subskrypcja{{#subscription.product}} {{subscription.product}}{{/subscription.product}} zakończyła się{{#subscription.endsAt}} {{subscription.endsAt}}{{/subscription.endsAt}}. Nie pobieramy już za nią opłat.`,
    },
    PORTAL_LINK: {
      subject: 'Twój link do logowania{{#seller.name}} w {{seller.name}}{{/seller.name}}',
      body: `# Twój link do logowania

${greeting}

Otwórz portal rozliczeniowy tym linkiem. Link działa jeden raz, przez godzinę.

[Otwórz portal]({{link}})

Jeśli to nie Ty prosisz o ten link, zignoruj tę wiadomość.`,
    },
  },
  phrases: {
    // Frame of pages.
    'page.testMode': 'Tryb testowy',
    'page.testModeNote': 'Nie pobieramy prawdziwych pieniędzy.',
    'footer.questions': 'Pytania?',
    'footer.support': 'Pomoc',
    'footer.terms': 'Regulamin',
    'footer.privacy': 'Prywatność',
    'footer.languages': 'Języki',
    'failure.didNotWork': 'Nie udało się',
    'failure.unreadable': 'Nie udało się odczytać formularza. Spróbuj ponownie.',
    'failure.foreignForm':
      'Formularz wysłano z innej strony. Otwórz stronę ponownie i spróbuj stamtąd.',
    'failure.notFoundTitle': 'Nie znaleziono strony',
    'failure.notFound': 'Ta strona nie istnieje. Sprawdź adres lub skontaktuj się ze sprzedawcą.',
    'failure.unsupportedAction': 'Ta strona nie obsługuje tej operacji.',
    'failure.conflict': 'To już nie jest możliwe. Otwórz stronę ponownie.',
    'failure.tooLong': 'Wpisany tekst jest za długi.',
    'failure.tooManyTitle': 'Zbyt wiele żądań',
    'failure.tooMany': 'Poczekaj chwilę i spróbuj ponownie.',
    'failure.unavailableTitle': 'Chwilowo niedostępne',
    'failure.unavailable':
      'Spróbuj ponownie za chwilę. Jeśli trwała płatność, najpierw sprawdź stronę: mogła się powieść.',
    'failure.faultTitle': 'Wystąpił błąd',
    'failure.fault':
      'Błąd leży po naszej stronie. Jeśli trwała płatność, najpierw sprawdź stronę: mogła się powieść.',
    'failure.back': 'Wróć do strony',

    // Forms.
    labeled: '{label}: {text}',
    sentences: '{first} {second}',
    'form.optional': '(opcjonalnie)',
    'form.fixFields': 'Popraw poniższe pola',
    'form.form': 'Formularz',
    'form.continue': 'Dalej',
    'form.confirm': 'Potwierdź',
    'form.save': 'Zapisz',
    'form.cancelBack': 'Anuluj i wróć',
    'field.name': 'Imię i nazwisko',
    'field.email': 'E-mail',
    'field.phone': 'Telefon',
    'field.language': 'Język',
    'field.languageAutomatic': 'Jak w przeglądarce',
    'field.quantity': 'Ilość',
    'field.product': 'Produkt',
    'field.plan': 'Plan',
    'field.country': 'Kraj',
    'field.company': 'Nazwisko lub firma',
    'field.taxId': 'Numer VAT lub NIP',
    'field.taxIdHint': 'Dla firm, z kodem kraju na początku, np. DE136695976.',
    'field.emailOrderHint': 'Na fakturę i wiadomości o zamówieniu.',
    'field.emailPortalHint': 'Na faktury i wiadomości o subskrypcji.',
    'field.quantityRange': 'Od {min} do {max}',
    'field.quantityPlanHint': 'Dla planów z ceną za jednostkę.',
    'address.address': 'Adres',
    'address.line1': 'Ulica i numer',
    'address.line2': 'Mieszkanie, piętro',
    'address.postalCode': 'Kod pocztowy',
    'address.city': 'Miejscowość',
    'address.state': 'Województwo lub region',
    'problem.discountCode': 'Ten kod jest nieprawidłowy.',
    'problem.required': 'Pole wymagane',
    'problem.email': 'Nieprawidłowy adres e-mail',
    'problem.country': 'Nieprawidłowy kraj',
    'problem.taxId': 'Nieprawidłowy numer VAT lub NIP',
    'problem.tooLong': 'Najwyżej {max} znaków',
    'problem.controlCharacters': 'Nie może zawierać znaków sterujących',
    'problem.expiryFormat': 'Wymagany format MM/RR',
    'problem.cardExpired': 'Karta straciła ważność',
    'problem.codeDigits': 'Wymagane 3 lub 4 cyfry',
    'problem.testCardsOnly': 'Tutaj przyjmujemy tylko karty testowe',
    'problem.wholeNumber': 'Wymagana liczba całkowita od {min, number} do {max, number}',
    'problem.totalTooLarge': 'Suma przekracza maksymalną kwotę',
    'problem.choosePlan': 'Wybierz plan',
    'problem.planGone': 'Ten plan nie jest już dostępny',
    'problem.locale': 'Nieobsługiwany język',
    'problem.other': 'Sprawdź to pole',

    // Cards and payments.
    'card.number': 'Numer karty',
    'card.expiry': 'Ważna do',
    'card.expiryHint': 'MM/RR',
    'card.code': 'Kod zabezpieczający',
    'card.codeHint': '3 lub 4 cyfry',
    'card.holder': 'Nazwisko na karcie',
    'card.totalChanged': 'Suma uległa zmianie.',
    'card.nothingCharged': 'Niczego nie pobrano.',
    'card.unavailable': 'Płatności kartą są teraz niedostępne. Skontaktuj się ze sprzedawcą.',
    'card.atProvider':
      'Dane karty wpiszesz na stronie naszego dostawcy płatności, a potem wrócisz tutaj.',
    'card.toProvider': 'Przejdź do danych karty',
    'card.providerTitle': 'Dane karty',
    'card.providerText':
      'Dane karty wpiszesz na stronie naszego dostawcy płatności. Jeśli strona nie otworzy się sama, użyj przycisku poniżej.',
    'card.ready': 'Twoja karta jest gotowa',
    'card.useAnother': 'Użyj innej karty',
    'card.testCards': 'Karty testowe',
    'card.testCardsHint':
      'Użyj dowolnej przyszłej daty ważności i dowolnego kodu. Inne numery kart są odrzucane.',
    'card.testNumber': 'Numer',
    'card.testEffect': 'Skutek',
    'testCard.succeeds': 'obciążenie się udaje',
    'testCard.succeedsMastercard': 'obciążenie się udaje (Mastercard)',
    'testCard.challenge': 'wymaga raz 3-D Secure',
    'testCard.challengeDeclined': 'wymaga 3-D Secure, potem jest odrzucana',
    'testCard.declined': 'jest odrzucana',
    'testCard.insufficientFunds': 'ma niewystarczające środki',
    'testCard.processingError': 'kończy się błędem przetwarzania',
    'testCard.expired': 'straciła ważność',
    'testCard.lost': 'została zgubiona',
    'testCard.stolen': 'została skradziona',
    'testCard.laterFails': 'zostaje zapisana, ale każde późniejsze obciążenie się nie udaje',
    'testCard.renewalFails':
      'obciążenie nie udaje się przy dwóch pierwszych odnowieniach, potem się udaje',
    'testCard.belowMinimum': 'nie przyjmuje kwot poniżej 50 najmniejszych jednostek',
    'testCard.refunded': 'dzień później następuje zwrot',
    'testCard.notRefundable': 'nie można dokonać zwrotu',
    'testCard.disputeLost': 'dzień później jest reklamowana, a reklamacja zostaje przegrana',
    'testCard.disputeWon': 'dzień później jest reklamowana, a reklamacja zostaje wygrana',
    'card.endingIn': '{brand} z końcówką {last4}',
    'card.expires': 'Ważna do {date}.',
    'card.expired': 'Straciła ważność {date}.',
    'payment.pay': 'Zapłać {amount}',
    'payment.payByCard': 'Zapłać kartą',
    'payment.lastFailed': 'Ostatnia płatność nie powiodła się',
    'payment.failed': 'Płatność nie powiodła się',
    'payment.processing': 'Twoja płatność jest przetwarzana',
    'payment.processingText': 'To zajmie chwilę. Strona odświeża się sama.',
    'payment.refresh': 'Odśwież',
    'challenge.paymentTitle': 'Potwierdź swoją płatność',
    'challenge.cardTitle': 'Potwierdź swoją kartę',
    'challenge.payment': 'Twój bank prosi o potwierdzenie płatności {amount} (3-D Secure).',
    'challenge.card':
      'Twój bank prosi o potwierdzenie, że późniejsze płatności mogą obciążać Twoją kartę (3-D Secure).',
    'challenge.testMode': 'Tryb testowy: wybierz wynik.',
    'challenge.toBank': 'Przejdź do swojego banku',
    'challenge.approve': 'Zatwierdź',
    'challenge.decline': 'Odrzuć',
    'challenge.bankTitle': 'Potwierdź w swoim banku',
    'challenge.bankText':
      'Twój bank prosi o potwierdzenie tej płatności. Jeśli strona nie otworzy się sama, użyj przycisku poniżej.',
    'payerMessage.card_declined': 'Twoja karta została odrzucona.',
    'payerMessage.insufficient_funds': 'Na Twojej karcie brakuje środków.',
    'payerMessage.processing_error': 'Nie udało się przetworzyć Twojej karty. Spróbuj ponownie.',
    'payerMessage.authentication_required':
      'Twój bank nie potwierdził płatności. Spróbuj ponownie.',
    'payerMessage.expired_card': 'Twoja karta straciła ważność.',
    'payerMessage.card_not_supported': 'Twoja karta nie jest obsługiwana. Użyj innej.',
    'payerMessage.currency_not_supported': 'Twoja karta nie obsługuje tej waluty. Użyj innej.',
    'payerMessage.payment_method_unavailable': 'Twojej karty nie można już obciążyć. Użyj innej.',
    'payerMessage.amount_not_supported': 'Tej kwoty nie można zapłacić kartą.',
    'payerMessage.no_payment_method': 'Nie zapisano żadnej metody płatności.',
    'payerMessage.no_payment_provider': 'Płatności są teraz niedostępne.',
    'payerMessage.other': 'Twoja płatność nie powiodła się. Spróbuj ponownie.',

    // Invoices and credit notes.
    'invoice.invoice': 'Faktura',
    'invoice.title': 'Faktura {number}',
    'invoice.number': 'Numer',
    'invoice.date': 'Data',
    'invoice.due': 'Termin płatności',
    'invoice.period': 'Okres',
    'invoice.purchaseOrder': 'Numer zamówienia',
    'invoice.order': 'Zamówienie',
    'invoice.from': 'Od',
    'invoice.billedTo': 'Nabywca',
    'invoice.downloadPdf': 'Pobierz jako PDF',
    'invoice.bankTransfer': 'Przelew bankowy',
    'invoice.open': 'Do zapłaty',
    'invoice.paid': 'Opłacona',
    'invoice.void': 'Anulowana',
    'invoice.uncollectible': 'Nieściągalna',
    'invoice.draft': 'Szkic',
    'invoice.paidText': 'Dziękujemy. Ta faktura jest opłacona.',
    'invoice.paidOn': 'Dziękujemy. Ta faktura jest opłacona. Płatność otrzymano {date}.',
    'invoice.settledOn': 'Dziękujemy. Ta faktura jest opłacona. Rozliczono {date}.',
    'invoice.voidText': 'Ta faktura została anulowana. Nie musisz nic płacić.',
    'invoice.uncollectibleText':
      'Tej faktury nie można już tutaj opłacić. Skontaktuj się ze sprzedawcą.',
    'invoice.description': 'Opis',
    'invoice.quantity': 'Ilość',
    'invoice.unitPrice': 'Cena jedn.',
    'invoice.amount': 'Kwota',
    'invoice.each': '{rate} za jednostkę',
    'invoice.showCalculation': 'Pokaż obliczenie',
    'invoice.subtotal': 'Suma częściowa',
    'invoice.total': 'Razem',
    'invoice.amountDue': 'Kwota do zapłaty',
    'invoice.dueToday': 'Do zapłaty dzisiaj',
    'invoice.discount': 'Rabat: {name}',
    'invoice.tax': 'Podatek',
    'invoice.taxOn': '{name} {percent}% od {amount}',
    'invoice.includes': 'W tym {tax}',
    'invoice.legalTaxOn': '{text}, 0% od {amount}',
    'invoice.balanceApplied': 'Wykorzystane saldo',
    'invoice.amountPaid': 'Zapłacono',
    'invoice.credited': 'Obniżono',
    'invoice.notPaid': 'Niezapłacone',
    'invoice.registrationNumber': 'Numer rejestrowy: {number}',
    'invoice.reference': 'Oznaczenie: {reference}',
    'invoice.taxIdLine': 'Numer identyfikacji podatkowej: {id}',
    'invoice.taxIdLabel': 'Numer identyfikacji podatkowej',
    'invoice.accountHolder': 'Właściciel rachunku: {holder}',
    'invoice.iban': 'IBAN: {iban}',
    'invoice.bic': 'BIC: {bic}',
    'invoice.paymentReference': 'Tytuł przelewu: {number}',
    'line.trial':
      '{product} (okres próbny, {days, plural, one {# dzień} few {# dni} many {# dni} other {# dnia}})',
    'line.unusedTime': 'Niewykorzystany czas: {product}',
    'line.remainingTime': 'Pozostały czas: {product}',
    'creditNote.creditNotes': 'Noty kredytowe',
    'creditNote.creditNote': 'Nota kredytowa',
    'creditNote.title': 'Nota kredytowa {number}',
    'creditNote.notNumbered': 'Jeszcze bez numeru',
    'creditNote.invoiceOf': '{number} z {date}',
    'creditNote.creditedTo': 'Dla',
    'creditNote.net': 'Netto',
    'creditNote.totalCredited': 'Łączna kwota noty',
    'creditNote.reduced': 'Odjęto od kwoty do zapłaty',
    'creditNote.toBalance': 'Dodano do Twojego salda',
    'creditNote.refunded': 'Zwrócono na Twoją kartę',
    'creditNote.external': 'Zwrócono w inny sposób',
    'creditNote.unsettled': 'Zwrot się nie powiódł, skontaktuj się ze sprzedawcą',
    'pdf.testMark': 'TEST: dokument ze środowiska testowego, nie jest wezwaniem do zapłaty',
    'pdf.payInvoice': 'Opłać tę fakturę',
    'pdf.page': 'Strona {page} z {pages}',
    'pdf.paid': 'Zapłacono {amount}.',
    'pdf.paidOn': 'Zapłacono {amount}, {date}.',
    'pdf.creditNote': 'Nota kredytowa {number}: {amount}',
    'pdf.creditNoteOn': 'Nota kredytowa {number} z {date}: {amount}',

    // Purchases.
    'session.payFor': 'Zapłać za {product}',
    'session.yourCountry': 'Twój kraj',
    'session.countryText': 'Podatek zależy od Twojej siedziby.',
    'session.confirmOrder': 'Potwierdź swoje zamówienie',
    'session.addCode': 'Dodaj kod rabatowy',
    'session.discountCode': 'Kod rabatowy',
    'session.applyCode': 'Zastosuj',
    'session.codeApplied': 'Zastosowano rabat {discount}.',
    'session.removeCode': 'Usuń',
    'session.paymentRunning': 'Trwa płatność.',
    'session.addTaxId': 'Dodaj numer VAT lub NIP',
    'session.updateTotal': 'Zaktualizuj sumę',
    'session.discountTitle': 'Rabat niedostępny',
    'session.discountGone': 'Rabat tej oferty jest teraz niedostępny. Płacisz pełną cenę.',
    'session.nothingDue': 'Nie ma nic do zapłaty. Karta nie jest potrzebna.',
    'session.nothingDueToday': 'Dzisiaj nie ma nic do zapłaty.',
    'session.cardForLater':
      'Dzisiaj niczego nie pobieramy. Karta zostanie zapisana na późniejsze płatności.',
    'session.withoutCard': 'Bez karty późniejsze płatności nie powiodą się, dopóki jej nie dodasz.',
    'session.startTrial': 'Rozpocznij bezpłatny okres próbny',
    'session.confirmed': 'Potwierdzono',
    'session.thankYou': 'Dziękujemy',
    'session.paymentReceived': 'Otrzymaliśmy Twoją płatność.',
    'session.orderConfirmed': 'Twoje zamówienie jest potwierdzone. Niczego nie pobrano.',
    'session.downloadInvoice': 'Pobierz fakturę {number} (PDF)',
    'session.expired': 'Ta strona płatności wygasła',
    'session.expiredTitle': 'Strona płatności wygasła',
    'session.expiredText':
      'Niczego nie pobrano. Aby kontynuować, wróć na stronę sprzedawcy i zacznij od nowa.',
    'session.dueToday': 'do zapłaty dzisiaj',
    'session.estimatedToday': 'szacunkowo, do zapłaty dzisiaj',
    'session.quantity': 'Ilość: {quantity}',
    'session.quantityAt': 'Ilość: {quantity} × {rate}',
    'link.toPayment': 'Przejdź do płatności',
    'link.updatePrices': 'Zaktualizuj ceny',
    'link.discountNext': 'Rabat zostanie naliczony na następnej stronie.',
    'link.discountSome':
      'Rabat na {products} zostanie naliczony na następnej stronie. Za resztę płacisz pełną cenę.',
    'link.ended': 'Ta oferta się zakończyła',
    'link.endedText': 'Ten link nie jest już aktywny. Skontaktuj się ze sprzedawcą.',
    'link.yourOrder': 'Twoje zamówienie',
    'link.chooseProduct': 'Wybierz produkt',
    'link.quantityFor': '{quantity} za {terms}',

    // Terms in words.
    'every.day':
      '{count, plural, one {codziennie} few {co # dni} many {co # dni} other {co # dnia}}',
    'every.week':
      '{count, plural, one {co tydzień} few {co # tygodnie} many {co # tygodni} other {co # tygodnia}}',
    'every.month':
      '{count, plural, one {co miesiąc} few {co # miesiące} many {co # miesięcy} other {co # miesiąca}}',
    'every.year': '{count, plural, one {co rok} few {co # lata} many {co # lat} other {co # roku}}',
    'terms.plusTax': '{amount} plus podatek',
    'terms.includingTax': '{amount} z podatkiem',
    'terms.once': '{amount} jednorazowo',
    'terms.oneTime': 'Płatność jednorazowa. Później niczego nie pobieramy.',
    'terms.recurring': '{amount} {recurrence}',
    'terms.recurringFrom': '{amount} {recurrence} od {date}',
    'terms.today': '{amount} dzisiaj',
    'terms.onDate': '{amount} w dniu {date}',
    'terms.free': '{days, plural, one {# dzień} few {# dni} many {# dni} other {# dnia}} za darmo',
    'terms.then': '{first}, potem {next}',
    'terms.laterAfterOnce': 'Potem {next}',
    'terms.laterAfterRenewals': 'Tyle samo przy każdym odnowieniu, potem {next}',
    'terms.plusUsage': '{terms}, plus zużycie',
    'terms.renews': 'Odnawia się {recurrence}.',
    'terms.renewsSame': 'Odnawia się {recurrence} po tej samej cenie.',
    'terms.nextRenewal': 'Następne odnowienie: {date}. Możesz anulować w każdej chwili.',
    'terms.nextCharge': 'Następne obciążenie: {date}. Możesz anulować w każdej chwili.',
    'terms.nextUsageCharge':
      'Następne obciążenie za zużycie: {date}. Możesz anulować w każdej chwili.',
    'terms.nextChargePlusUsage':
      'Następne obciążenie plus zużycie: {date}. Możesz anulować w każdej chwili.',
    'terms.usageBilled': 'Zużycie jest rozliczane z dołu, {recurrence}:',
    'terms.usageAfterTrial': 'Zużycie po okresie próbnym jest rozliczane z dołu, {recurrence}:',
    'terms.each': '{rate} za jednostkę',
    'terms.eachPlus': '{rate} za jednostkę, plus {flat}',
    'terms.allUnits': 'Wszystkie jednostki {range}: {rate}',
    'terms.someUnits': 'Jednostki {range}: {rate}',
    'terms.above': 'powyżej {from}',
    'terms.upTo': 'do {to}',
    'terms.aboveUpTo': 'powyżej {from} do {to}',
    'terms.anyNumber': 'w dowolnej liczbie',
    'usage.usage': 'Zużycie',
    'usage.named': '{name}: {terms}',
    'usage.included': '{quantity} w cenie {recurrence}, potem {terms}',
    'usage.package': '{rate} za {size}, zaokrąglone w górę',
    'usage.range': 'od {least} do {most} za jednostkę, zależnie od wielkości zużycia',
    'usage.plusFlat': '{terms}, plus do {flat} za próg',
    'usage.atLeast': '{terms}, co najmniej {least} {recurrence}',
    'usage.atMost': '{terms}, najwyżej {most} {recurrence}',
    'usage.atLeastAtMost': '{terms}, co najmniej {least} i najwyżej {most} {recurrence}',

    // Portal.
    'portal.billing': 'Rozliczenia',
    'portal.pageTitle': '{title} · Rozliczenia',
    'portal.skip': 'Przejdź do treści',
    'portal.backTo': 'Wróć do {host}',
    'portal.signOut': 'Wyloguj się',
    'portal.overview': 'Przegląd',
    'portal.usage': 'Zużycie',
    'portal.invoices': 'Faktury',
    'portal.paymentMethods': 'Metody płatności',
    'portal.contactDetails': 'Dane kontaktowe',
    'portal.shortPayment': 'Płatność',
    'portal.shortContact': 'Kontakt',
    'done.card-added': 'Karta została dodana.',
    'done.card-removed': 'Karta została usunięta.',
    'done.canceled': 'Twoja subskrypcja zakończy się z końcem bieżącego okresu.',
    'done.ended': 'Twoja subskrypcja jest anulowana. Niczego nie pobieramy.',
    'done.kept': 'Twoja subskrypcja odnowi się jak zwykle.',
    'done.default-changed': 'Ta karta jest teraz kartą domyślną.',
    'done.details-saved': 'Twoje dane zostały zapisane.',
    'done.plan-changed': 'Twój plan został zmieniony.',
    'done.plan-scheduled': 'Twój plan zmieni się z końcem bieżącego okresu.',
    'done.plan-paying': 'Twoja płatność jest przetwarzana. Plan zmieni się, gdy ją otrzymamy.',
    'done.plan-kept': 'Zachowujesz obecny plan.',
    'signIn.askTitle': 'Zaloguj się do portalu rozliczeniowego',
    'signIn.askText': 'Wyślemy Ci link, który otwiera portal.',
    'signIn.send': 'Wyślij link',
    'signIn.sentTitle': 'Sprawdź swoją pocztę',
    'signIn.sentText': 'Jeśli znamy ten adres, wysłaliśmy na niego link.',
    'signIn.title': 'Twój portal rozliczeniowy',
    'signIn.text': 'Zobacz swoje subskrypcje, zużycie i faktury oraz zarządzaj metodami płatności.',
    'signIn.open': 'Otwórz portal',
    'signIn.once': 'Ten link działa tylko raz. Nie udostępniaj go.',
    'signIn.used': 'Ten link został już użyty',
    'signIn.expired': 'Ten link wygasł',
    'signIn.newLink':
      'Link do portalu działa tylko raz i wygasa po godzinie. Poproś o nowy tam, skąd pochodzi ten link.',
    'signIn.usedHere': 'Jeśli link otwarto w tej przeglądarce, {link}.',
    'signIn.continue': 'przejdź do portalu',
    'signIn.signedOut': 'Wylogowano',
    'signIn.signedOutText': 'Aby ponownie otworzyć portal, potrzebujesz nowego linku.',
    'signIn.back': 'Wróć',
    'signIn.sessionExpired': 'Twoja sesja wygasła',
    'signIn.sessionExpiredText':
      'Sesja portalu trwa godzinę. Poproś o nowy link tam, skąd pochodzi ostatni.',
    'overview.noSubscriptions': 'Brak subskrypcji',
    'overview.noSubscriptionsText': 'Nie masz aktywnych subskrypcji. Zobacz swoje {invoices}.',
    'overview.invoicesLink': 'faktury',
    'overview.overdue': 'Płatność jest zaległa',
    'overview.openInvoices': 'Faktury do zapłaty',
    'overview.overdueText': 'Zapłać lub dodaj inną kartę, aby zachować subskrypcję.',
    'overview.balance': 'Saldo',
    'overview.balanceText':
      'Twoje saldo wynosi {amounts}. Następne faktury wykorzystają je w pierwszej kolejności.',
    'overview.fixPayment': 'Ureguluj płatność',
    'overview.pay': 'Zapłać',
    'overview.ofInvoice': ' za fakturę {number}',
    'overview.nextInvoice': 'Następna faktura',
    'overview.nextCharge': 'Następne obciążenie',
    'overview.amountOn': '{amount} w dniu {date}',
    'overview.discountOff': '{name}: {amount} taniej',
    'overview.usageSoFar': 'Dotychczasowe zużycie',
    'overview.about': 'około {amount}',
    'overview.estimate': 'Szacunek.',
    'overview.estimateBefore': 'Szacunek przed rabatami.',
    'overview.billedAtEnd': 'Rozliczane na koniec subskrypcji.',
    'overview.addedToNext': 'Doliczane do następnej faktury.',
    'overview.seeUsage': 'Zobacz zużycie',
    'overview.chargedTo': 'Obciążana karta: {card}.',
    'overview.changePaying': 'Zmiana na {plan}, jest opłacana.',
    'overview.changeAt': 'Zmiana na {plan}, w dniu {date}.',
    'overview.keepPlan': 'Zachowaj obecny plan',
    'overview.pausesOn': 'Wstrzymanie w dniu {date}.',
    'overview.pausedSince': 'Wstrzymana od {since}.',
    'overview.pausedUntil': 'Wstrzymana od {since}. Wznowienie w dniu {date}.',
    'overview.changePlan': 'Zmień plan',
    'overview.cancelSubscription': 'Anuluj subskrypcję',
    'overview.endsOn': 'Twoja subskrypcja kończy się {date} i się nie odnawia.',
    'overview.keepSubscription': 'Zachowaj subskrypcję',
    'overview.paymentMethod': 'Metoda płatności',
    'overview.invoicesSent': 'Otrzymujesz faktury. Opłać każdą fakturę do terminu płatności.',
    'overview.noCard': 'Nie zapisano karty. Dodaj kartę, aby płacić za subskrypcję.',
    'overview.cardCharged': 'Obciążana karta: {card}.',
    'overview.cardChargedExcept':
      'Obciążana karta: {card}, z wyjątkiem subskrypcji, które wskazują inną kartę.',
    'overview.managePaymentMethods': 'Zarządzaj metodami płatności',
    'overview.billingDetails': 'Dane do faktury',
    'overview.editDetails': 'Edytuj dane kontaktowe',
    'overview.ended': 'Zakończone',
    'overview.endedOn': 'zakończona {date}',
    'status.pastDue': 'Zaległa',
    'status.ending': 'Kończy się',
    'status.trial': 'Okres próbny',
    'status.scheduled': 'Zaplanowana',
    'status.paused': 'Wstrzymana',
    'status.active': 'Aktywna',
    'usagePage.tooMuch': 'powyżej maksymalnej kwoty faktury',
    'usagePage.none': 'Twój plan nie ma opłat zależnych od zużycia.',
    'usagePage.units': 'jednostek',
    'usagePage.amount': '{quantity} {units}',
    'usagePage.included': '{quantity} z {included} {units} w cenie',
    'usagePage.credits': 'Przedpłacone środki: zostało {remaining} z {granted} {units}',
    'usagePage.additional': 'Dodatkowe zużycie: {quantity} {units}',
    'usagePage.additionalCost': 'Dodatkowe zużycie: {quantity} {units}, {cost}',
    'usagePage.cost': 'Koszt: {cost}',
    'usagePage.aboutSoFar': 'dotychczas około {amount}',
    'invoices.none': 'Nie ma jeszcze faktur.',
    'invoices.status': 'Status',
    'invoices.pdfOf': ' faktury {number}',
    'invoices.theInvoice': 'bez numeru',
    'invoices.pages': 'Strony faktur',
    'invoices.newer': 'Nowsze',
    'invoices.older': 'Starsze',
    'invoices.page': 'Strona {page} z {pages}',
    'invoices.purchaseOpen': 'Ta faktura należy do niezakończonego zakupu.',
    'invoices.continuePurchase': 'Kontynuuj zakup',
    'invoices.payWithThisCard': 'Zapłać {amount} tą kartą',
    'invoices.payThis': 'Opłać tę fakturę',
    'invoices.payWithAnother': 'Zapłać inną kartą',
    'invoices.savedCards': 'Zapisane karty',
    'methods.none': 'Nie zapisano karty.',
    'methods.add': 'Dodaj kartę',
    'methods.save': 'Zapisz kartę',
    'methods.default': 'Domyślna',
    'methods.savedOn': 'Zapisano {date}.',
    'methods.defaultFirst': 'Aby usunąć tę kartę, ustaw najpierw inną jako domyślną.',
    'methods.makeDefault': 'Ustaw jako domyślną',
    'methods.remove': 'Usuń',
    'methods.useAsDefault': 'Używaj jako domyślnej',
    'methods.openCharged': 'Faktury do zapłaty obciążą teraz tę kartę.',
    'methods.isDefault': 'Ustaw najpierw inną kartę jako domyślną.',
    'methods.inUse': 'Tą kartą opłacana jest trwająca subskrypcja. Dodaj najpierw inną kartę.',
    'methods.tooMany': 'Osiągnięto maksymalną liczbę zapisanych kart. Usuń najpierw jedną.',
    'cancel.title': 'Anulować {product}?',
    'cancel.pageTitle': 'Anuluj {product}',
    'cancel.scheduled':
      'Twoja subskrypcja jeszcze się nie rozpoczęła. Jeśli anulujesz ją teraz, nie rozpocznie się {date} i niczego nie pobierzemy. Tego nie można cofnąć.',
    'cancel.running':
      'Zachowujesz dostęp do {date}. Twoja subskrypcja się nie odnowi. Do tego czasu możesz cofnąć anulowanie.',
    'cancel.usage': 'Zużycie ponad to, co jest w cenie, zostanie jeszcze rozliczone.',
    'cancel.now': 'Anuluj teraz',
    'cancel.atEnd': 'Anuluj z końcem okresu',
    'plan.change': 'Zmień swój plan',
    'plan.notPossible': 'Ta zmiana nie jest możliwa',
    'plan.current': 'Obecny plan: {plan}',
    'plan.named': '{name}, {terms}',
    'plan.noOther': 'Dla tej subskrypcji nie ma innego dostępnego planu.',
    'plan.exactPrice': 'Zanim cokolwiek się zmieni, zobaczysz dokładną cenę.',
    'plan.review': 'Sprawdź zmianę',
    'plan.backToOverview': 'Wróć do przeglądu',
    'plan.yours': '{name} (Twój plan)',
    'plan.inTiers': '{quantity} jednostek, cena według progów',
    'plan.times': '{quantity} × {terms}',
    'plan.nothingToChange': 'To już jest Twój plan.',
    'plan.changePaying': 'Inna zmiana jest opłacana. Spróbuj ponownie za chwilę.',
    'plan.setToCancel': 'Twoja subskrypcja jest anulowana. Cofnij anulowanie, zanim ją zmienisz.',
    'plan.tooManyChanges': 'Ta subskrypcja była w tym okresie zmieniana zbyt często.',
    'plan.refused': 'Wybierz inny plan lub skontaktuj się ze sprzedawcą.',
    'review.title': 'Sprawdź swoją zmianę',
    'review.now': 'Teraz',
    'review.then': 'Potem',
    'review.starts': 'Początek',
    'review.stale': 'Cena zmieniła się w międzyczasie.',
    'review.again': 'Sprawdź ponownie.',
    'review.notChanged': 'Twój plan się nie zmienił.',
    'review.today': 'Dzisiaj',
    'review.untilThen': 'Do tego czasu zachowujesz obecny plan i możesz cofnąć tę zmianę.',
    'review.noCard': 'Nie zapisano karty. Najpierw {addCard}.',
    'review.addCard': 'dodaj kartę',
    'review.chargedTo': 'Obciążana karta: {card}',
    'review.getInvoice': 'Otrzymasz fakturę.',
    'review.takenOff': 'Odjęto od faktur do zapłaty',
    'review.usageSoFar': 'Zawiera dotychczasowe zużycie.',
    'review.usageUntilToday': 'Zużycie do dziś',
    'review.ownInvoice': 'Na osobnej fakturze.',
    'review.payAndChange': 'Zapłać {amount} i zmień plan',
    'review.confirm': 'Potwierdź zmianę',
    'review.another': 'Wybierz inny plan',

    // Mails.
    testMail: 'TEST: ta wiadomość pochodzi ze środowiska testowego. Nie płyną prawdziwe pieniądze.',
    contact: 'Pytania? Napisz na {email}.',
    automaticMail:
      '{hasSeller, select, true {{seller} wysyła} other {Wysyłamy}} tę wiadomość automatycznie.',
    'paymentReason.card_declined': 'Karta została odrzucona.',
    'paymentReason.insufficient_funds': 'Na karcie brakuje środków.',
    'paymentReason.expired_card': 'Karta straciła ważność.',
    'paymentReason.card_not_supported': 'Karta nie jest obsługiwana.',
    'paymentReason.currency_not_supported': 'Karta nie obsługuje tej waluty.',
    'paymentReason.payment_method_unavailable': 'Karty nie można już obciążyć.',
    'paymentReason.no_payment_method': 'Nie zapisano żadnej metody płatności.',
    'paymentReason.other': 'Nie udało się przetworzyć płatności.',
  },
};
