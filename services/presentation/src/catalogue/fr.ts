import type { Catalogue } from './catalogue';

const greeting = 'Bonjour {{customer.name}},';

/** The French texts. */
export const fr: Catalogue = {
  mails: {
    INVOICE_ISSUED: {
      subject:
        'Facture {{invoice.number}}{{#seller.name}} de {{seller.name}}{{/seller.name}} : {{invoice.amountDue}}',
      body: `# Facture {{invoice.number}}

${greeting}

Votre facture de {{invoice.amountDue}} est disponible.{{#invoice.dueDate}} Merci de la régler au plus tard le {{invoice.dueDate}}.{{/invoice.dueDate}}

{{#invoice.description}}- {{invoice.description}}{{/invoice.description}}

[Voir et payer la facture]({{link}})`,
    },
    RECEIPT: {
      subject:
        'Reçu pour la facture {{invoice.number}}{{#seller.name}} de {{seller.name}}{{/seller.name}}',
      body: `# Merci pour votre paiement

${greeting}

Nous avons reçu votre paiement pour la facture {{invoice.number}}.

- Total : {{invoice.total}}
{{#invoice.description}}- {{invoice.description}}{{/invoice.description}}
{{#invoice.paidAt}}- Payée le {{invoice.paidAt}}{{/invoice.paidAt}}

{{#link}}[Voir la facture]({{link}}){{/link}}`,
    },
    PAYMENT_FAILED: {
      subject: 'Votre paiement de {{invoice.amountDue}} a échoué',
      body: `# Votre paiement a échoué

${greeting}

Nous n’avons pas pu prélever {{invoice.amountDue}} pour la facture {{invoice.number}}. {{payment.reason}}

{{#payment.nextAttemptAt}}Nous réessaierons le {{payment.nextAttemptAt}}. {{/payment.nextAttemptAt}}Vous pouvez payer dès maintenant, y compris avec une autre carte.

[Payer la facture]({{link}})`,
    },
    ACTION_REQUIRED: {
      subject: 'Veuillez confirmer votre paiement de {{invoice.amountDue}}',
      body: `# Veuillez confirmer votre paiement

${greeting}

Votre banque vous demande de confirmer le paiement de {{invoice.amountDue}} pour la facture {{invoice.number}}.

[Confirmer le paiement]({{link}})`,
    },
    PAYMENT_REMINDER: {
      subject: 'Rappel : la facture {{invoice.number}} n’est pas payée',
      body: `# La facture {{invoice.number}} n’est pas payée

${greeting}

Nous n’avons pas reçu {{invoice.amountDue}} pour la facture {{invoice.number}}{{#invoice.dueDate}}, dont l’échéance était le {{invoice.dueDate}}{{/invoice.dueDate}}.

[Voir et payer la facture]({{link}})`,
    },
    CREDIT_NOTE_ISSUED: {
      subject: 'Avoir {{creditNote.number}}{{#seller.name}} de {{seller.name}}{{/seller.name}}',
      body: `# Avoir {{creditNote.number}}

${greeting}

Nous avons émis un avoir de {{creditNote.total}} sur la facture {{invoice.number}}.

{{#link}}[Voir la facture]({{link}}){{/link}}`,
    },
    CARD_EXPIRING: {
      subject: 'Votre carte expire bientôt',
      body: `# Votre carte expire bientôt

${greeting}

Votre carte{{#card}} {{card}}{{/card}} expire{{#card.expiry}} fin {{card.expiry}}{{/card.expiry}}. Veuillez ajouter une autre carte avant votre prochain paiement.

{{#link}}[Mettre à jour le moyen de paiement]({{link}}){{/link}}`,
    },
    TRIAL_STARTED: {
      subject:
        'Votre période d’essai{{#subscription.product}} de {{subscription.product}}{{/subscription.product}} a commencé',
      body: `# Votre période d’essai a commencé

${greeting}

Votre période d’essai{{#subscription.product}} de {{subscription.product}}{{/subscription.product}} dure jusqu’au {{subscription.trialEnd}}. L’abonnement est ensuite facturé.

{{#link}}[Gérer l’abonnement]({{link}}){{/link}}`,
    },
    TRIAL_ENDING: {
      subject:
        'Votre période d’essai{{#subscription.product}} de {{subscription.product}}{{/subscription.product}} se termine le {{subscription.trialEnd}}',
      body: `# Votre période d’essai se termine bientôt

${greeting}

Votre période d’essai{{#subscription.product}} de {{subscription.product}}{{/subscription.product}} se termine le {{subscription.trialEnd}}.{{#subscription.upcomingAmount}} {{subscription.upcomingAmount}} vous seront alors facturés.{{/subscription.upcomingAmount}}

{{#link}}[Gérer l’abonnement]({{link}}){{/link}}`,
    },
    RENEWAL_UPCOMING: {
      subject: 'Votre abonnement est renouvelé le {{subscription.upcomingAt}}',
      body: `# Votre abonnement est bientôt renouvelé

${greeting}

Votre abonnement{{#subscription.product}} à {{subscription.product}}{{/subscription.product}} est renouvelé le {{subscription.upcomingAt}}. {{subscription.upcomingAmount}} vous seront alors facturés.

{{#link}}[Gérer l’abonnement]({{link}}){{/link}}`,
    },
    CANCELLATION_SCHEDULED: {
      subject: 'Votre abonnement se termine le {{subscription.endsAt}}',
      body: `# Votre abonnement va se terminer

${greeting}

Votre abonnement{{#subscription.product}} à {{subscription.product}}{{/subscription.product}} est résilié. Il reste actif jusqu’au {{subscription.endsAt}}.

{{#link}}[Gérer l’abonnement]({{link}}){{/link}}`,
    },
    SUBSCRIPTION_CANCELED: {
      subject: 'Votre abonnement a pris fin',
      body: `# Votre abonnement a pris fin

${greeting}

Votre abonnement{{#subscription.product}} à {{subscription.product}}{{/subscription.product}} a pris fin{{#subscription.endsAt}} le {{subscription.endsAt}}{{/subscription.endsAt}}. Il n’est plus facturé.`,
    },
    PORTAL_LINK: {
      subject: 'Votre lien de connexion{{#seller.name}} à {{seller.name}}{{/seller.name}}',
      body: `# Votre lien de connexion

${greeting}

Ouvrez le portail de facturation avec ce lien. Il fonctionne une seule fois, pendant une heure.

[Ouvrir le portail]({{link}})

Si vous n’avez pas demandé ce lien, ignorez cet e-mail.`,
    },
  },
  phrases: {
    // Frame of pages.
    'page.testMode': 'Mode test',
    'page.testModeNote': 'Aucun débit réel.',
    'footer.questions': 'Des questions ?',
    'footer.support': 'Assistance',
    'footer.terms': 'Conditions',
    'footer.privacy': 'Confidentialité',
    'footer.languages': 'Langues',
    'failure.didNotWork': 'Cela n’a pas fonctionné',
    'failure.unreadable': 'Le formulaire n’a pas pu être lu. Veuillez réessayer.',
    'failure.foreignForm':
      'Le formulaire a été envoyé depuis un autre site. Veuillez rouvrir la page et réessayer.',
    'failure.notFoundTitle': 'Page introuvable',
    'failure.notFound':
      'Cette page n’existe pas. Veuillez vérifier l’adresse ou contacter le vendeur.',
    'failure.unsupportedAction': 'Cette page ne prend pas en charge cette action.',
    'failure.conflict': 'Ce n’est plus possible. Veuillez rouvrir la page.',
    'failure.tooLong': 'Votre saisie est trop longue.',
    'failure.tooManyTitle': 'Trop de requêtes',
    'failure.tooMany': 'Veuillez patienter un instant, puis réessayer.',
    'failure.unavailableTitle': 'Temporairement indisponible',
    'failure.unavailable':
      'Veuillez réessayer dans un instant. Si vous étiez en train de payer, consultez d’abord la page : votre paiement a peut-être abouti.',
    'failure.faultTitle': 'Une erreur s’est produite',
    'failure.fault':
      'L’erreur vient de notre côté. Si vous étiez en train de payer, consultez d’abord la page : votre paiement a peut-être abouti.',
    'failure.back': 'Retour à la page',

    // Forms.
    labeled: '{label} : {text}',
    sentences: '{first} {second}',
    'form.optional': '(facultatif)',
    'form.fixFields': 'Veuillez corriger les champs ci-dessous',
    'form.form': 'Formulaire',
    'form.continue': 'Continuer',
    'form.confirm': 'Confirmer',
    'form.save': 'Enregistrer',
    'form.cancelBack': 'Annuler et revenir',
    'field.name': 'Nom',
    'field.email': 'E-mail',
    'field.phone': 'Téléphone',
    'field.language': 'Langue',
    'field.languageAutomatic': 'Comme dans le navigateur',
    'field.quantity': 'Quantité',
    'field.product': 'Produit',
    'field.plan': 'Formule',
    'field.country': 'Pays',
    'field.company': 'Nom ou société',
    'field.taxId': 'Numéro de TVA ou fiscal',
    'field.taxIdHint': 'Pour les entreprises, avec le pays en tête, par exemple DE136695976.',
    'field.emailOrderHint': 'Pour votre facture et les informations sur votre commande.',
    'field.emailPortalHint': 'Pour vos factures et les informations sur votre abonnement.',
    'field.quantityRange': 'De {min} à {max}',
    'field.quantityPlanHint': 'Pour les formules facturées à l’unité.',
    'address.address': 'Adresse',
    'address.line1': 'Numéro et rue',
    'address.line2': 'Complément d’adresse',
    'address.postalCode': 'Code postal',
    'address.city': 'Ville',
    'address.state': 'État ou région',
    'problem.discountCode': 'Ce code n’est pas valide.',
    'problem.required': 'Obligatoire',
    'problem.email': 'Adresse e-mail non valide',
    'problem.country': 'Pays non valide',
    'problem.taxId': 'Numéro de TVA ou fiscal non valide',
    'problem.tooLong': '{max} caractères au maximum',
    'problem.controlCharacters': 'Ne doit pas contenir de caractères de contrôle',
    'problem.expiryFormat': 'Doit être au format MM/AA',
    'problem.cardExpired': 'La carte a expiré',
    'problem.codeDigits': 'Doit comporter 3 ou 4 chiffres',
    'problem.testCardsOnly': 'Seules les cartes de test sont acceptées ici',
    'problem.wholeNumber': 'Doit être un nombre entier de {min, number} à {max, number}',
    'problem.totalTooLarge': 'Le total dépasse le montant maximal',
    'problem.choosePlan': 'Veuillez choisir une formule',
    'problem.planGone': 'Cette formule n’est plus disponible',
    'problem.locale': 'Langue non prise en charge',
    'problem.other': 'Veuillez vérifier ce champ',

    // Cards and payments.
    'card.number': 'Numéro de carte',
    'card.expiry': 'Expiration',
    'card.expiryHint': 'MM/AA',
    'card.code': 'Code de sécurité',
    'card.codeHint': '3 ou 4 chiffres',
    'card.holder': 'Nom sur la carte',
    'card.totalChanged': 'Le total a changé.',
    'card.nothingCharged': 'Rien n’a été débité.',
    'card.unavailable':
      'Le paiement par carte n’est pas disponible pour le moment. Veuillez contacter le vendeur.',
    'card.atProvider':
      'Vous saisissez votre carte sur la page de notre prestataire de paiement, puis vous revenez ici.',
    'card.toProvider': 'Continuer vers les données de la carte',
    'card.providerTitle': 'Données de la carte',
    'card.providerText':
      'Vous saisissez votre carte sur la page de notre prestataire de paiement. Si la page ne s’ouvre pas automatiquement, utilisez le bouton ci-dessous.',
    'card.ready': 'Votre carte est prête',
    'card.useAnother': 'Utiliser une autre carte',
    'card.testCards': 'Cartes de test',
    'card.testCardsHint':
      'Utilisez une date d’expiration future et un code de sécurité quelconques. Les autres numéros de carte sont refusés.',
    'card.testNumber': 'Numéro',
    'card.testEffect': 'Effet',
    'testCard.succeeds': 'réussit',
    'testCard.succeedsMastercard': 'réussit (Mastercard)',
    'testCard.challenge': 'exige 3-D Secure une fois',
    'testCard.challengeDeclined': 'exige 3-D Secure, puis est refusée',
    'testCard.declined': 'est refusée',
    'testCard.insufficientFunds': 'n’a pas de provision suffisante',
    'testCard.processingError': 'échoue avec une erreur de traitement',
    'testCard.expired': 'a expiré',
    'testCard.lost': 'a été perdue',
    'testCard.stolen': 'a été volée',
    'testCard.laterFails': 'est enregistrée, mais tout débit ultérieur échoue',
    'testCard.renewalFails': 'échoue aux deux premiers renouvellements, puis réussit',
    'testCard.belowMinimum': 'n’accepte pas les montants inférieurs à 50 unités minimales',
    'testCard.refunded': 'est remboursée un jour plus tard',
    'testCard.notRefundable': 'ne peut pas être remboursée',
    'testCard.disputeLost': 'est contestée un jour plus tard, et le litige est perdu',
    'testCard.disputeWon': 'est contestée un jour plus tard, et le litige est gagné',
    'card.endingIn': '{brand} se terminant par {last4}',
    'card.expires': 'Expire {date}.',
    'card.expired': 'Expirée {date}.',
    'payment.pay': 'Payer {amount}',
    'payment.payByCard': 'Payer par carte',
    'payment.lastFailed': 'Le dernier paiement a échoué',
    'payment.failed': 'Le paiement a échoué',
    'payment.processing': 'Votre paiement est en cours de traitement',
    'payment.processingText': 'Cela prend un instant. La page s’actualise automatiquement.',
    'payment.refresh': 'Actualiser',
    'challenge.paymentTitle': 'Confirmez votre paiement',
    'challenge.cardTitle': 'Confirmez votre carte',
    'challenge.payment':
      'Votre banque vous demande de confirmer le paiement de {amount} (3-D Secure).',
    'challenge.card':
      'Votre banque vous demande de confirmer que des paiements ultérieurs pourront être débités de votre carte (3-D Secure).',
    'challenge.testMode': 'Mode test : choisissez un résultat.',
    'challenge.toBank': 'Continuer vers votre banque',
    'challenge.approve': 'Approuver',
    'challenge.decline': 'Refuser',
    'challenge.bankTitle': 'Confirmation auprès de votre banque',
    'challenge.bankText':
      'Votre banque vous demande de confirmer ce paiement. Si la page ne s’ouvre pas automatiquement, utilisez le bouton ci-dessous.',
    'payerMessage.card_declined': 'Votre carte a été refusée.',
    'payerMessage.insufficient_funds': 'La provision de votre carte est insuffisante.',
    'payerMessage.processing_error': 'Votre carte n’a pas pu être traitée. Veuillez réessayer.',
    'payerMessage.authentication_required':
      'Votre banque n’a pas confirmé le paiement. Veuillez réessayer.',
    'payerMessage.expired_card': 'Votre carte a expiré.',
    'payerMessage.card_not_supported':
      'Votre carte n’est pas acceptée. Veuillez en utiliser une autre.',
    'payerMessage.currency_not_supported':
      'Votre carte n’accepte pas cette devise. Veuillez en utiliser une autre.',
    'payerMessage.payment_method_unavailable':
      'Votre carte ne peut plus être débitée. Veuillez en utiliser une autre.',
    'payerMessage.amount_not_supported': 'Ce montant ne peut pas être payé par carte.',
    'payerMessage.no_payment_method': 'Aucun moyen de paiement n’est enregistré.',
    'payerMessage.no_payment_provider': 'Les paiements ne sont pas disponibles pour le moment.',
    'payerMessage.other': 'Votre paiement a échoué. Veuillez réessayer.',

    // Invoices and credit notes.
    'invoice.invoice': 'Facture',
    'invoice.title': 'Facture {number}',
    'invoice.number': 'Numéro',
    'invoice.date': 'Date',
    'invoice.due': 'Échéance',
    'invoice.period': 'Période',
    'invoice.purchaseOrder': 'Bon de commande',
    'invoice.order': 'Commande',
    'invoice.from': 'De',
    'invoice.billedTo': 'Facturé à',
    'invoice.downloadPdf': 'Télécharger en PDF',
    'invoice.bankTransfer': 'Virement bancaire',
    'invoice.open': 'À payer',
    'invoice.paid': 'Payée',
    'invoice.void': 'Annulée',
    'invoice.uncollectible': 'Irrécouvrable',
    'invoice.draft': 'Brouillon',
    'invoice.paidText': 'Merci. Cette facture est payée.',
    'invoice.paidOn': 'Merci. Cette facture est payée. Paiement reçu le {date}.',
    'invoice.settledOn': 'Merci. Cette facture est payée. Soldée le {date}.',
    'invoice.voidText': 'Cette facture a été annulée. Vous ne devez rien.',
    'invoice.uncollectibleText':
      'Cette facture ne peut plus être payée ici. Veuillez contacter le vendeur.',
    'invoice.description': 'Description',
    'invoice.quantity': 'Quantité',
    'invoice.unitPrice': 'Prix unitaire',
    'invoice.amount': 'Montant',
    'invoice.each': '{rate} l’unité',
    'invoice.showCalculation': 'Afficher le calcul',
    'invoice.subtotal': 'Sous-total',
    'invoice.total': 'Total',
    'invoice.amountDue': 'Montant dû',
    'invoice.dueToday': 'À payer aujourd’hui',
    'invoice.discount': 'Remise : {name}',
    'invoice.tax': 'Taxe',
    'invoice.taxOn': '{name} {percent} % sur {amount}',
    'invoice.includes': 'Dont {tax}',
    'invoice.legalTaxOn': '{text}, 0 % sur {amount}',
    'invoice.balanceApplied': 'Solde utilisé',
    'invoice.amountPaid': 'Payé',
    'invoice.credited': 'Crédité',
    'invoice.notPaid': 'Non payé',
    'invoice.registrationNumber': 'Numéro d’immatriculation : {number}',
    'invoice.reference': 'Référence : {reference}',
    'invoice.taxIdLine': 'Numéro fiscal : {id}',
    'invoice.taxIdLabel': 'Numéro fiscal',
    'invoice.accountHolder': 'Titulaire du compte : {holder}',
    'invoice.iban': 'IBAN : {iban}',
    'invoice.bic': 'BIC : {bic}',
    'invoice.paymentReference': 'Référence du paiement : {number}',
    'line.trial': '{product} (essai, {days, plural, one {# jour} many {# jours} other {# jours}})',
    'line.unusedTime': 'Temps non utilisé de {product}',
    'line.remainingTime': 'Temps restant de {product}',
    'creditNote.creditNotes': 'Avoirs',
    'creditNote.creditNote': 'Avoir',
    'creditNote.title': 'Avoir {number}',
    'creditNote.notNumbered': 'Pas encore numéroté',
    'creditNote.invoiceOf': '{number} du {date}',
    'creditNote.creditedTo': 'Crédité à',
    'creditNote.net': 'Hors taxes',
    'creditNote.totalCredited': 'Total de l’avoir',
    'creditNote.reduced': 'Déduit du montant dû',
    'creditNote.toBalance': 'Ajouté à votre solde',
    'creditNote.refunded': 'Remboursé sur votre carte',
    'creditNote.external': 'Restitué d’une autre manière',
    'creditNote.unsettled': 'Remboursement échoué, veuillez contacter le vendeur',
    'pdf.testMark':
      'TEST : document d’un environnement de test, ne constitue pas une demande de paiement',
    'pdf.payInvoice': 'Payer la facture',
    'pdf.page': 'Page {page} sur {pages}',
    'pdf.paid': '{amount} payés.',
    'pdf.paidOn': '{amount} payés le {date}.',
    'pdf.creditNote': 'Avoir {number} : {amount}',
    'pdf.creditNoteOn': 'Avoir {number} du {date} : {amount}',

    // Purchases.
    'session.payFor': 'Payer {product}',
    'session.yourCountry': 'Votre pays',
    'session.countryText': 'La taxe dépend de l’endroit où vous êtes établi.',
    'session.confirmOrder': 'Confirmer votre commande',
    'session.addCode': 'Ajouter un code de remise',
    'session.discountCode': 'Code de remise',
    'session.applyCode': 'Appliquer',
    'session.codeApplied': 'La remise {discount} est appliquée.',
    'session.removeCode': 'Retirer',
    'session.paymentRunning': 'Un paiement est en cours.',
    'session.addTaxId': 'Ajouter un numéro de TVA ou fiscal',
    'session.updateTotal': 'Mettre à jour le total',
    'session.discountTitle': 'Remise non disponible',
    'session.discountGone':
      'La remise de cette offre n’est pas disponible pour le moment. Vous payez le plein tarif.',
    'session.nothingDue': 'Rien n’est dû. Aucune carte n’est nécessaire.',
    'session.nothingDueToday': 'Rien n’est dû aujourd’hui.',
    'session.cardForLater':
      'Rien n’est débité aujourd’hui. Votre carte est enregistrée pour les paiements ultérieurs.',
    'session.withoutCard':
      'Sans carte, les paiements ultérieurs échoueront jusqu’à ce que vous en ajoutiez une.',
    'session.startTrial': 'Commencer l’essai gratuit',
    'session.confirmed': 'Confirmée',
    'session.thankYou': 'Merci',
    'session.paymentReceived': 'Votre paiement a été reçu.',
    'session.orderConfirmed': 'Votre commande est confirmée. Rien n’a été débité.',
    'session.downloadInvoice': 'Télécharger la facture {number} (PDF)',
    'session.expired': 'Cette page de paiement a expiré',
    'session.expiredTitle': 'Page de paiement expirée',
    'session.expiredText':
      'Rien n’a été débité. Pour continuer, retournez sur le site du vendeur et recommencez votre achat.',
    'session.dueToday': 'à payer aujourd’hui',
    'session.estimatedToday': 'estimation, à payer aujourd’hui',
    'session.quantity': 'Quantité : {quantity}',
    'session.quantityAt': 'Quantité : {quantity} × {rate}',
    'link.toPayment': 'Continuer vers le paiement',
    'link.updatePrices': 'Mettre à jour les prix',
    'link.discountNext': 'La remise est appliquée à la page suivante.',
    'link.discountSome':
      'La remise sur {products} est appliquée à la page suivante. Vous payez le plein tarif pour tout le reste.',
    'link.ended': 'Cette offre est terminée',
    'link.endedText': 'Ce lien n’est plus actif. Veuillez contacter le vendeur.',
    'link.yourOrder': 'Votre commande',
    'link.chooseProduct': 'Choisissez un produit',
    'link.quantityFor': '{quantity} pour {terms}',

    // Terms in words.
    'every.day':
      '{count, plural, one {chaque jour} many {tous les # jours} other {tous les # jours}}',
    'every.week':
      '{count, plural, one {chaque semaine} many {toutes les # semaines} other {toutes les # semaines}}',
    'every.month':
      '{count, plural, one {chaque mois} many {tous les # mois} other {tous les # mois}}',
    'every.year':
      '{count, plural, one {chaque année} many {tous les # ans} other {tous les # ans}}',
    'terms.plusTax': '{amount} hors taxes',
    'terms.includingTax': '{amount} taxes comprises',
    'terms.once': '{amount} une seule fois',
    'terms.oneTime': 'Paiement unique. Rien n’est débité ensuite.',
    'terms.recurring': '{amount} {recurrence}',
    'terms.recurringFrom': '{amount} {recurrence} à partir du {date}',
    'terms.today': '{amount} aujourd’hui',
    'terms.onDate': '{amount} le {date}',
    'terms.free':
      '{days, plural, one {# jour gratuit} many {# jours gratuits} other {# jours gratuits}}',
    'terms.then': '{first}, puis {next}',
    'terms.laterAfterOnce': 'Puis {next}',
    'terms.laterAfterRenewals': 'Le même montant à chaque renouvellement, puis {next}',
    'terms.plusUsage': '{terms}, plus la consommation',
    'terms.renews': 'Renouvellement {recurrence}.',
    'terms.renewsSame': 'Renouvellement {recurrence} au même prix.',
    'terms.nextRenewal': 'Prochain renouvellement le {date}. Résiliable à tout moment.',
    'terms.nextCharge': 'Prochain débit le {date}. Résiliable à tout moment.',
    'terms.nextUsageCharge':
      'Prochain débit de la consommation le {date}. Résiliable à tout moment.',
    'terms.nextChargePlusUsage':
      'Prochain débit, consommation en sus, le {date}. Résiliable à tout moment.',
    'terms.usageBilled': 'La consommation est facturée à terme échu, {recurrence} :',
    'terms.usageAfterTrial':
      'La consommation après l’essai est facturée à terme échu, {recurrence} :',
    'terms.each': '{rate} l’unité',
    'terms.eachPlus': '{rate} l’unité, plus {flat}',
    'terms.allUnits': 'Toutes les unités {range} : {rate}',
    'terms.someUnits': 'Unités {range} : {rate}',
    'terms.above': 'au-delà de {from}',
    'terms.upTo': 'jusqu’à {to}',
    'terms.aboveUpTo': 'au-delà de {from} et jusqu’à {to}',
    'terms.anyNumber': 'sans limite de nombre',
    'usage.usage': 'Consommation',
    'usage.named': '{name} : {terms}',
    'usage.included': '{quantity} inclus {recurrence}, puis {terms}',
    'usage.package': '{rate} par {size}, arrondi au lot supérieur',
    'usage.range': 'de {least} à {most} l’unité, selon le volume',
    'usage.plusFlat': '{terms}, plus jusqu’à {flat} par palier',
    'usage.atLeast': '{terms}, au moins {least} {recurrence}',
    'usage.atMost': '{terms}, au plus {most} {recurrence}',
    'usage.atLeastAtMost': '{terms}, au moins {least} et au plus {most} {recurrence}',

    // Portal.
    'portal.billing': 'Facturation',
    'portal.pageTitle': '{title} · Facturation',
    'portal.skip': 'Aller au contenu',
    'portal.backTo': 'Retour à {host}',
    'portal.signOut': 'Se déconnecter',
    'portal.overview': 'Aperçu',
    'portal.usage': 'Consommation',
    'portal.invoices': 'Factures',
    'portal.paymentMethods': 'Moyens de paiement',
    'portal.contactDetails': 'Coordonnées',
    'portal.shortPayment': 'Paiement',
    'portal.shortContact': 'Contact',
    'done.card-added': 'La carte a été ajoutée.',
    'done.card-removed': 'La carte a été supprimée.',
    'done.canceled': 'Votre abonnement prendra fin avec la période en cours.',
    'done.ended': 'Votre abonnement est résilié. Rien ne vous est facturé.',
    'done.kept': 'Votre abonnement sera renouvelé comme d’habitude.',
    'done.default-changed': 'Cette carte est maintenant votre carte par défaut.',
    'done.details-saved': 'Vos coordonnées ont été enregistrées.',
    'done.plan-changed': 'Votre formule a été changée.',
    'done.plan-scheduled': 'Votre formule changera à la fin de la période en cours.',
    'done.plan-paying':
      'Votre paiement est en cours de traitement. Votre formule change dès qu’il est reçu.',
    'done.plan-kept': 'Vous conservez votre formule actuelle.',
    'signIn.askTitle': 'Se connecter au portail de facturation',
    'signIn.askText': 'Nous vous envoyons un lien qui ouvre le portail.',
    'signIn.send': 'Envoyer le lien',
    'signIn.sentTitle': 'Consultez vos e-mails',
    'signIn.sentText': 'Si nous connaissons cette adresse, nous y avons envoyé un lien.',
    'signIn.title': 'Votre portail de facturation',
    'signIn.text':
      'Consultez vos abonnements, votre consommation et vos factures, et gérez vos moyens de paiement.',
    'signIn.open': 'Ouvrir le portail',
    'signIn.once': 'Ce lien ne fonctionne qu’une seule fois. Ne le partagez pas.',
    'signIn.used': 'Ce lien a déjà été utilisé',
    'signIn.expired': 'Ce lien a expiré',
    'signIn.newLink':
      'Un lien vers le portail ne fonctionne qu’une fois et expire au bout d’une heure. Veuillez en demander un nouveau là où vous avez trouvé celui-ci.',
    'signIn.usedHere': 'Si vous l’avez ouvert dans ce navigateur, {link}.',
    'signIn.continue': 'continuez vers le portail',
    'signIn.signedOut': 'Vous êtes déconnecté',
    'signIn.signedOutText': 'Il vous faut un nouveau lien pour rouvrir le portail.',
    'signIn.back': 'Retour',
    'signIn.sessionExpired': 'Votre session a expiré',
    'signIn.sessionExpiredText':
      'Une session du portail dure une heure. Veuillez demander un nouveau lien là où vous avez trouvé le dernier.',
    'overview.noSubscriptions': 'Aucun abonnement',
    'overview.noSubscriptionsText': 'Vous n’avez aucun abonnement actif. Consultez vos {invoices}.',
    'overview.invoicesLink': 'factures',
    'overview.overdue': 'Un paiement est en retard',
    'overview.openInvoices': 'Factures à payer',
    'overview.overdueText':
      'Veuillez le régler ou ajouter une autre carte pour conserver votre abonnement.',
    'overview.balance': 'Solde',
    'overview.balanceText':
      'Votre solde est de {amounts}. Vos prochaines factures l’utilisent en premier.',
    'overview.fixPayment': 'Régulariser',
    'overview.pay': 'Payer',
    'overview.ofInvoice': ' la facture {number}',
    'overview.nextInvoice': 'Prochaine facture',
    'overview.nextCharge': 'Prochain débit',
    'overview.amountOn': '{amount} le {date}',
    'overview.discountOff': '{name} : remise de {amount}',
    'overview.usageSoFar': 'Consommation à ce jour',
    'overview.about': 'environ {amount}',
    'overview.estimate': 'Estimation.',
    'overview.estimateBefore': 'Estimation avant remises.',
    'overview.billedAtEnd': 'Facturée à la fin de l’abonnement.',
    'overview.addedToNext': 'Ajoutée à la prochaine facture.',
    'overview.seeUsage': 'Voir la consommation',
    'overview.chargedTo': 'Débité de {card}.',
    'overview.changePaying': 'Votre passage à {plan}, est en cours de paiement.',
    'overview.changeAt': 'Passe à {plan}, le {date}.',
    'overview.keepPlan': 'Conserver la formule actuelle',
    'overview.pausesOn': 'Mise en pause le {date}.',
    'overview.pausedSince': 'En pause depuis le {since}.',
    'overview.pausedUntil': 'En pause depuis le {since}. Reprise le {date}.',
    'overview.changePlan': 'Changer de formule',
    'overview.cancelSubscription': 'Résilier l’abonnement',
    'overview.endsOn': 'Votre abonnement se termine le {date} et n’est pas renouvelé.',
    'overview.keepSubscription': 'Conserver l’abonnement',
    'overview.paymentMethod': 'Moyen de paiement',
    'overview.invoicesSent':
      'Les factures vous sont envoyées. Veuillez régler chaque facture au plus tard à son échéance.',
    'overview.noCard':
      'Aucune carte n’est enregistrée. Ajoutez une carte pour payer votre abonnement.',
    'overview.cardCharged': '{card} est débitée.',
    'overview.cardChargedExcept':
      '{card} est débitée, sauf pour les abonnements qui indiquent une autre carte.',
    'overview.managePaymentMethods': 'Gérer les moyens de paiement',
    'overview.billingDetails': 'Coordonnées de facturation',
    'overview.editDetails': 'Modifier les coordonnées',
    'overview.ended': 'Terminés',
    'overview.endedOn': 'terminé le {date}',
    'status.pastDue': 'En retard',
    'status.ending': 'Se termine',
    'status.trial': 'Essai',
    'status.scheduled': 'Planifié',
    'status.paused': 'En pause',
    'status.active': 'Actif',
    'usagePage.tooMuch': 'au-delà du montant maximal d’une facture',
    'usagePage.none': 'Votre formule ne comporte pas de frais selon la consommation.',
    'usagePage.units': 'unités',
    'usagePage.amount': '{quantity} {units}',
    'usagePage.included': '{quantity} sur {included} {units} inclus',
    'usagePage.credits': 'Crédits prépayés : il reste {remaining} sur {granted} {units}',
    'usagePage.additional': 'Consommation supplémentaire : {quantity} {units}',
    'usagePage.additionalCost': 'Consommation supplémentaire : {quantity} {units}, {cost}',
    'usagePage.cost': 'Coût : {cost}',
    'usagePage.aboutSoFar': 'environ {amount} à ce jour',
    'invoices.none': 'Il n’y a pas encore de factures.',
    'invoices.status': 'Statut',
    'invoices.pdfOf': ' de {number}',
    'invoices.theInvoice': 'la facture',
    'invoices.pages': 'Pages de factures',
    'invoices.newer': 'Plus récentes',
    'invoices.older': 'Plus anciennes',
    'invoices.page': 'Page {page} sur {pages}',
    'invoices.purchaseOpen': 'Cette facture appartient à un achat qui n’est pas terminé.',
    'invoices.continuePurchase': 'Poursuivre l’achat',
    'invoices.payWithThisCard': 'Payer {amount} avec cette carte',
    'invoices.payThis': 'Payer cette facture',
    'invoices.payWithAnother': 'Payer avec une autre carte',
    'invoices.savedCards': 'Cartes enregistrées',
    'methods.none': 'Aucune carte n’est enregistrée.',
    'methods.add': 'Ajouter une carte',
    'methods.save': 'Enregistrer la carte',
    'methods.default': 'Par défaut',
    'methods.savedOn': 'Enregistrée le {date}.',
    'methods.defaultFirst':
      'Pour supprimer cette carte, choisissez d’abord une autre carte par défaut.',
    'methods.makeDefault': 'Définir par défaut',
    'methods.remove': 'Supprimer',
    'methods.useAsDefault': 'Utiliser par défaut',
    'methods.openCharged': 'Les factures à payer sont débitées de cette carte dès maintenant.',
    'methods.isDefault': 'Choisissez d’abord une autre carte par défaut.',
    'methods.inUse': 'Cette carte paie un abonnement en cours. Ajoutez d’abord une autre carte.',
    'methods.tooMany':
      'Vous avez atteint le nombre maximal de cartes enregistrées. Supprimez-en d’abord une.',
    'cancel.title': 'Résilier {product} ?',
    'cancel.pageTitle': 'Résilier {product}',
    'cancel.scheduled':
      'Votre abonnement n’a pas encore commencé. Si vous le résiliez maintenant, il ne commencera pas le {date} et rien ne vous sera facturé. Cette action est définitive.',
    'cancel.running':
      'Vous conservez l’accès jusqu’au {date}. Votre abonnement n’est pas renouvelé. Vous pouvez annuler la résiliation jusque-là.',
    'cancel.usage': 'La consommation au-delà de ce qui est inclus est encore facturée.',
    'cancel.now': 'Résilier maintenant',
    'cancel.atEnd': 'Résilier à la fin de la période',
    'plan.change': 'Changer de formule',
    'plan.notPossible': 'Ce changement n’est pas possible',
    'plan.current': 'Formule actuelle : {plan}',
    'plan.named': '{name}, {terms}',
    'plan.noOther': 'Aucune autre formule n’est disponible pour cet abonnement.',
    'plan.exactPrice': 'Vous voyez le prix exact avant tout changement.',
    'plan.review': 'Vérifier le changement',
    'plan.backToOverview': 'Retour à l’aperçu',
    'plan.yours': '{name} (votre formule)',
    'plan.inTiers': '{quantity} unités, prix par paliers',
    'plan.times': '{quantity} × {terms}',
    'plan.nothingToChange': 'C’est déjà votre formule.',
    'plan.changePaying':
      'Un autre changement est en cours de paiement. Veuillez réessayer dans un instant.',
    'plan.setToCancel':
      'Votre abonnement va prendre fin. Annulez la résiliation avant de le modifier.',
    'plan.tooManyChanges': 'Cet abonnement a été modifié trop souvent pendant cette période.',
    'plan.refused': 'Veuillez choisir une autre formule ou contacter le vendeur.',
    'review.title': 'Vérifiez votre changement',
    'review.now': 'Maintenant',
    'review.then': 'Ensuite',
    'review.starts': 'Début',
    'review.stale': 'Le prix a changé entre-temps.',
    'review.again': 'Veuillez vérifier à nouveau.',
    'review.notChanged': 'Votre formule n’a pas changé.',
    'review.today': 'Aujourd’hui',
    'review.untilThen':
      'D’ici là, vous conservez votre formule actuelle et pouvez annuler ce changement.',
    'review.noCard': 'Aucune carte n’est enregistrée. D’abord : {addCard}.',
    'review.addCard': 'ajouter une carte',
    'review.chargedTo': 'Débité de {card}',
    'review.getInvoice': 'Vous recevez une facture.',
    'review.takenOff': 'Déduit des factures à payer',
    'review.usageSoFar': 'Comprend la consommation à ce jour.',
    'review.usageUntilToday': 'Consommation jusqu’à aujourd’hui',
    'review.ownInvoice': 'Sur une facture séparée.',
    'review.payAndChange': 'Payer {amount} et changer de formule',
    'review.confirm': 'Confirmer le changement',
    'review.another': 'Choisir une autre formule',

    // Mails.
    testMail: 'TEST : cet e-mail provient d’un environnement de test. Aucun argent ne circule.',
    contact: 'Des questions ? Écrivez à {email}.',
    automaticMail:
      '{hasSeller, select, true {{seller} envoie} other {Nous envoyons}} cet e-mail automatiquement.',
    'paymentReason.card_declined': 'La carte a été refusée.',
    'paymentReason.insufficient_funds': 'La provision de la carte est insuffisante.',
    'paymentReason.expired_card': 'La carte a expiré.',
    'paymentReason.card_not_supported': 'La carte n’est pas acceptée.',
    'paymentReason.currency_not_supported': 'La carte n’accepte pas cette devise.',
    'paymentReason.payment_method_unavailable': 'La carte ne peut plus être débitée.',
    'paymentReason.no_payment_method': 'Aucun moyen de paiement n’est enregistré.',
    'paymentReason.other': 'Le paiement n’a pas pu être traité.',
  },
};
