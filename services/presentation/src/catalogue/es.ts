import type { Catalogue } from './catalogue';

const greeting = 'Hola, {{customer.name}}:';

/** The Spanish texts. */
export const es: Catalogue = {
  mails: {
    INVOICE_ISSUED: {
      subject:
        'Factura {{invoice.number}}{{#seller.name}} de {{seller.name}}{{/seller.name}}: {{invoice.amountDue}}',
      body: `# Factura {{invoice.number}}

${greeting}

Su factura de {{invoice.amountDue}} está disponible.{{#invoice.dueDate}} Páguela a más tardar el {{invoice.dueDate}}, por favor.{{/invoice.dueDate}}

{{#invoice.description}}- {{invoice.description}}{{/invoice.description}}

[Ver y pagar la factura]({{link}})`,
    },
    RECEIPT: {
      subject:
        'Recibo de la factura {{invoice.number}}{{#seller.name}} de {{seller.name}}{{/seller.name}}',
      body: `# Gracias por su pago

${greeting}

Hemos recibido su pago de la factura {{invoice.number}}.

- Total: {{invoice.total}}
{{#invoice.description}}- {{invoice.description}}{{/invoice.description}}
{{#invoice.paidAt}}- Pagada el {{invoice.paidAt}}{{/invoice.paidAt}}

{{#link}}[Ver la factura]({{link}}){{/link}}`,
    },
    PAYMENT_FAILED: {
      subject: 'Su pago de {{invoice.amountDue}} no se ha realizado',
      body: `# Su pago no se ha realizado

${greeting}

No hemos podido cobrar {{invoice.amountDue}} de la factura {{invoice.number}}. {{payment.reason}}

{{#payment.nextAttemptAt}}Lo intentaremos de nuevo el {{payment.nextAttemptAt}}. {{/payment.nextAttemptAt}}Puede pagar ahora, también con otra tarjeta.

[Pagar la factura]({{link}})`,
    },
    ACTION_REQUIRED: {
      subject: 'Confirme su pago de {{invoice.amountDue}}',
      body: `# Confirme su pago

${greeting}

Su banco le pide que confirme el pago de {{invoice.amountDue}} de la factura {{invoice.number}}.

[Confirmar el pago]({{link}})`,
    },
    PAYMENT_REMINDER: {
      subject: 'Recordatorio: la factura {{invoice.number}} no está pagada',
      body: `# La factura {{invoice.number}} no está pagada

${greeting}

No hemos recibido {{invoice.amountDue}} de la factura {{invoice.number}}{{#invoice.dueDate}}, que venció el {{invoice.dueDate}}{{/invoice.dueDate}}.

[Ver y pagar la factura]({{link}})`,
    },
    CREDIT_NOTE_ISSUED: {
      subject:
        'Nota de crédito {{creditNote.number}}{{#seller.name}} de {{seller.name}}{{/seller.name}}',
      body: `# Nota de crédito {{creditNote.number}}

${greeting}

Hemos abonado {{creditNote.total}} de la factura {{invoice.number}}.

{{#link}}[Ver la factura]({{link}}){{/link}}`,
    },
    CARD_EXPIRING: {
      subject: 'Su tarjeta caduca pronto',
      body: `# Su tarjeta caduca pronto

${greeting}

Su tarjeta{{#card}} {{card}}{{/card}} caduca{{#card.expiry}} a finales de {{card.expiry}}{{/card.expiry}}. Añada otra tarjeta antes de su próximo pago.

{{#link}}[Actualizar el método de pago]({{link}}){{/link}}`,
    },
    TRIAL_STARTED: {
      subject:
        'Su periodo de prueba{{#subscription.product}} de {{subscription.product}}{{/subscription.product}} ha comenzado',
      body: `# Su periodo de prueba ha comenzado

${greeting}

Su periodo de prueba{{#subscription.product}} de {{subscription.product}}{{/subscription.product}} dura hasta el {{subscription.trialEnd}}. Después se cobra la suscripción.

{{#link}}[Gestionar la suscripción]({{link}}){{/link}}`,
    },
    TRIAL_ENDING: {
      subject:
        'Su periodo de prueba{{#subscription.product}} de {{subscription.product}}{{/subscription.product}} termina el {{subscription.trialEnd}}',
      body: `# Su periodo de prueba termina pronto

${greeting}

Su periodo de prueba{{#subscription.product}} de {{subscription.product}}{{/subscription.product}} termina el {{subscription.trialEnd}}.{{#subscription.upcomingAmount}} En esa fecha se le cobrarán {{subscription.upcomingAmount}}.{{/subscription.upcomingAmount}}

{{#link}}[Gestionar la suscripción]({{link}}){{/link}}`,
    },
    RENEWAL_UPCOMING: {
      subject: 'Su suscripción se renueva el {{subscription.upcomingAt}}',
      body: `# Su suscripción se renueva pronto

${greeting}

Su suscripción{{#subscription.product}} a {{subscription.product}}{{/subscription.product}} se renueva el {{subscription.upcomingAt}}. En esa fecha se le cobrarán {{subscription.upcomingAmount}}.

{{#link}}[Gestionar la suscripción]({{link}}){{/link}}`,
    },
    CANCELLATION_SCHEDULED: {
      subject: 'Su suscripción termina el {{subscription.endsAt}}',
      body: `# Su suscripción va a terminar

${greeting}

Su suscripción{{#subscription.product}} a {{subscription.product}}{{/subscription.product}} está cancelada. Sigue activa hasta el {{subscription.endsAt}}.

{{#link}}[Gestionar la suscripción]({{link}}){{/link}}`,
    },
    SUBSCRIPTION_CANCELED: {
      subject: 'Su suscripción ha terminado',
      body: `# Su suscripción ha terminado

${greeting}

Su suscripción{{#subscription.product}} a {{subscription.product}}{{/subscription.product}} terminó{{#subscription.endsAt}} el {{subscription.endsAt}}{{/subscription.endsAt}}. Ya no se cobra.`,
    },
    PORTAL_LINK: {
      subject: 'Su enlace de acceso{{#seller.name}} a {{seller.name}}{{/seller.name}}',
      body: `# Su enlace de acceso

${greeting}

Abra el portal de facturación con este enlace. Funciona una sola vez, durante una hora.

[Abrir el portal]({{link}})

Si no ha solicitado este enlace, ignore este correo.`,
    },
  },
  phrases: {
    // Frame of pages.
    'page.testMode': 'Modo de prueba',
    'page.testModeNote': 'No se cobra nada real.',
    'footer.questions': '¿Preguntas?',
    'footer.support': 'Ayuda',
    'footer.terms': 'Condiciones',
    'footer.privacy': 'Privacidad',
    'footer.languages': 'Idiomas',
    'failure.didNotWork': 'No ha funcionado',
    'failure.unreadable': 'No se ha podido leer el formulario. Inténtelo de nuevo.',
    'failure.foreignForm':
      'El formulario se envió desde otro sitio. Abra la página de nuevo e inténtelo allí.',
    'failure.notFoundTitle': 'Página no encontrada',
    'failure.notFound': 'Esta página no existe. Compruebe la dirección o contacte con el vendedor.',
    'failure.unsupportedAction': 'Esta página no admite esa acción.',
    'failure.conflict': 'Esto ya no es posible. Abra la página de nuevo.',
    'failure.tooLong': 'El texto introducido es demasiado largo.',
    'failure.tooManyTitle': 'Demasiadas solicitudes',
    'failure.tooMany': 'Espere un momento e inténtelo de nuevo.',
    'failure.unavailableTitle': 'No disponible temporalmente',
    'failure.unavailable':
      'Inténtelo de nuevo en un momento. Si estaba pagando, consulte primero la página: es posible que su pago se haya realizado.',
    'failure.faultTitle': 'Se ha producido un error',
    'failure.fault':
      'El error es nuestro. Si estaba pagando, consulte primero la página: es posible que su pago se haya realizado.',
    'failure.back': 'Volver a la página',

    // Forms.
    labeled: '{label}: {text}',
    sentences: '{first} {second}',
    'form.optional': '(opcional)',
    'form.fixFields': 'Corrija los campos siguientes',
    'form.form': 'Formulario',
    'form.continue': 'Continuar',
    'form.confirm': 'Confirmar',
    'form.save': 'Guardar',
    'form.cancelBack': 'Cancelar y volver',
    'field.name': 'Nombre',
    'field.email': 'Correo electrónico',
    'field.phone': 'Teléfono',
    'field.language': 'Idioma',
    'field.languageAutomatic': 'Como en el navegador',
    'field.quantity': 'Cantidad',
    'field.product': 'Producto',
    'field.plan': 'Plan',
    'field.country': 'País',
    'field.company': 'Nombre o empresa',
    'field.taxId': 'NIF-IVA o número fiscal',
    'field.taxIdHint': 'Para empresas, con el país delante, por ejemplo DE136695976.',
    'field.emailOrderHint': 'Para su factura y las novedades de su pedido.',
    'field.emailPortalHint': 'Para sus facturas y las novedades de su suscripción.',
    'field.quantityRange': 'De {min} a {max}',
    'field.quantityPlanHint': 'Para planes con precio por unidad.',
    'address.address': 'Dirección',
    'address.line1': 'Calle y número',
    'address.line2': 'Piso, puerta',
    'address.postalCode': 'Código postal',
    'address.city': 'Ciudad',
    'address.state': 'Provincia o región',
    'problem.discountCode': 'Este código no es válido.',
    'problem.required': 'Obligatorio',
    'problem.email': 'Correo electrónico no válido',
    'problem.country': 'País no válido',
    'problem.taxId': 'NIF-IVA o número fiscal no válido',
    'problem.tooLong': 'Máximo {max} caracteres',
    'problem.controlCharacters': 'No debe contener caracteres de control',
    'problem.expiryFormat': 'Debe tener el formato MM/AA',
    'problem.cardExpired': 'La tarjeta ha caducado',
    'problem.codeDigits': 'Debe tener 3 o 4 dígitos',
    'problem.testCardsOnly': 'Aquí solo se aceptan tarjetas de prueba',
    'problem.wholeNumber': 'Debe ser un número entero de {min, number} a {max, number}',
    'problem.totalTooLarge': 'El total supera el importe máximo',
    'problem.choosePlan': 'Elija un plan',
    'problem.planGone': 'Este plan ya no está disponible',
    'problem.locale': 'Idioma no disponible',
    'problem.other': 'Compruebe este campo',

    // Cards and payments.
    'card.number': 'Número de tarjeta',
    'card.expiry': 'Caducidad',
    'card.expiryHint': 'MM/AA',
    'card.code': 'Código de seguridad',
    'card.codeHint': '3 o 4 dígitos',
    'card.holder': 'Nombre en la tarjeta',
    'card.totalChanged': 'El total ha cambiado.',
    'card.nothingCharged': 'No se ha cobrado nada.',
    'card.unavailable':
      'Los pagos con tarjeta no están disponibles en este momento. Contacte con el vendedor.',
    'card.atProvider':
      'Introducirá su tarjeta en la página de nuestro proveedor de pagos y después volverá aquí.',
    'card.toProvider': 'Continuar a los datos de la tarjeta',
    'card.providerTitle': 'Datos de la tarjeta',
    'card.providerText':
      'Introducirá su tarjeta en la página de nuestro proveedor de pagos. Si la página no se abre automáticamente, use el botón siguiente.',
    'card.ready': 'Su tarjeta está lista',
    'card.useAnother': 'Usar otra tarjeta',
    'card.testCards': 'Tarjetas de prueba',
    'card.testCardsHint':
      'Use cualquier fecha de caducidad futura y cualquier código de seguridad. Los demás números de tarjeta se rechazan.',
    'card.testNumber': 'Número',
    'card.testEffect': 'Efecto',
    'testCard.succeeds': 'se cobra',
    'testCard.succeedsMastercard': 'se cobra (Mastercard)',
    'testCard.challenge': 'requiere 3-D Secure una vez',
    'testCard.challengeDeclined': 'requiere 3-D Secure y después se rechaza',
    'testCard.declined': 'se rechaza',
    'testCard.insufficientFunds': 'no tiene fondos suficientes',
    'testCard.processingError': 'falla con un error de procesamiento',
    'testCard.expired': 'ha caducado',
    'testCard.lost': 'se perdió',
    'testCard.stolen': 'fue robada',
    'testCard.laterFails': 'se guarda, pero todo cobro posterior falla',
    'testCard.renewalFails': 'falla en las dos primeras renovaciones y después se cobra',
    'testCard.belowMinimum': 'no admite importes inferiores a 50 unidades mínimas',
    'testCard.refunded': 'se reembolsa un día después',
    'testCard.notRefundable': 'no se puede reembolsar',
    'testCard.disputeLost': 'se disputa un día después y la disputa se pierde',
    'testCard.disputeWon': 'se disputa un día después y la disputa se gana',
    'card.endingIn': '{brand} terminada en {last4}',
    'card.expires': 'Caduca {date}.',
    'card.expired': 'Caducó {date}.',
    'payment.pay': 'Pagar {amount}',
    'payment.payByCard': 'Pagar con tarjeta',
    'payment.lastFailed': 'El último pago no se realizó',
    'payment.failed': 'El pago no se ha realizado',
    'payment.processing': 'Su pago se está procesando',
    'payment.processingText': 'Tardará un momento. La página se actualiza automáticamente.',
    'payment.refresh': 'Actualizar',
    'challenge.paymentTitle': 'Confirme su pago',
    'challenge.cardTitle': 'Confirme su tarjeta',
    'challenge.payment': 'Su banco le pide que confirme el pago de {amount} (3-D Secure).',
    'challenge.card':
      'Su banco le pide que confirme que los pagos posteriores pueden cobrarse en su tarjeta (3-D Secure).',
    'challenge.testMode': 'Modo de prueba: elija un resultado.',
    'challenge.toBank': 'Continuar a su banco',
    'challenge.approve': 'Aprobar',
    'challenge.decline': 'Rechazar',
    'challenge.bankTitle': 'Confirme con su banco',
    'challenge.bankText':
      'Su banco le pide que confirme este pago. Si la página no se abre automáticamente, use el botón siguiente.',
    'payerMessage.card_declined': 'Su tarjeta fue rechazada.',
    'payerMessage.insufficient_funds': 'Su tarjeta no tiene fondos suficientes.',
    'payerMessage.processing_error': 'No se pudo procesar su tarjeta. Inténtelo de nuevo.',
    'payerMessage.authentication_required': 'Su banco no confirmó el pago. Inténtelo de nuevo.',
    'payerMessage.expired_card': 'Su tarjeta ha caducado.',
    'payerMessage.card_not_supported': 'Su tarjeta no se admite. Use otra.',
    'payerMessage.currency_not_supported': 'Su tarjeta no admite esta moneda. Use otra.',
    'payerMessage.payment_method_unavailable': 'Ya no se puede cobrar en su tarjeta. Use otra.',
    'payerMessage.amount_not_supported': 'Este importe no se puede pagar con tarjeta.',
    'payerMessage.no_payment_method': 'No hay ningún método de pago guardado.',
    'payerMessage.no_payment_provider': 'Los pagos no están disponibles en este momento.',
    'payerMessage.other': 'Su pago no se ha realizado. Inténtelo de nuevo.',

    // Invoices and credit notes.
    'invoice.invoice': 'Factura',
    'invoice.title': 'Factura {number}',
    'invoice.number': 'Número',
    'invoice.date': 'Fecha',
    'invoice.due': 'Vencimiento',
    'invoice.period': 'Periodo',
    'invoice.purchaseOrder': 'Orden de compra',
    'invoice.order': 'Pedido',
    'invoice.from': 'De',
    'invoice.billedTo': 'Facturado a',
    'invoice.downloadPdf': 'Descargar en PDF',
    'invoice.bankTransfer': 'Transferencia bancaria',
    'invoice.open': 'Pendiente',
    'invoice.paid': 'Pagada',
    'invoice.void': 'Anulada',
    'invoice.uncollectible': 'Incobrable',
    'invoice.draft': 'Borrador',
    'invoice.paidText': 'Gracias. Esta factura está pagada.',
    'invoice.paidOn': 'Gracias. Esta factura está pagada. Pago recibido el {date}.',
    'invoice.settledOn': 'Gracias. Esta factura está pagada. Saldada el {date}.',
    'invoice.voidText': 'Esta factura se ha anulado. No debe nada.',
    'invoice.uncollectibleText':
      'Esta factura ya no se puede pagar aquí. Contacte con el vendedor.',
    'invoice.description': 'Descripción',
    'invoice.quantity': 'Cantidad',
    'invoice.unitPrice': 'Precio unitario',
    'invoice.amount': 'Importe',
    'invoice.each': '{rate} por unidad',
    'invoice.showCalculation': 'Mostrar el cálculo',
    'invoice.subtotal': 'Subtotal',
    'invoice.total': 'Total',
    'invoice.amountDue': 'Importe a pagar',
    'invoice.dueToday': 'A pagar hoy',
    'invoice.discount': 'Descuento: {name}',
    'invoice.tax': 'Impuesto',
    'invoice.taxOn': '{name} {percent} % sobre {amount}',
    'invoice.includes': 'Incluye {tax}',
    'invoice.legalTaxOn': '{text}, 0 % sobre {amount}',
    'invoice.balanceApplied': 'Saldo aplicado',
    'invoice.amountPaid': 'Pagado',
    'invoice.credited': 'Abonado',
    'invoice.notPaid': 'No pagado',
    'invoice.registrationNumber': 'Número de registro: {number}',
    'invoice.reference': 'Referencia: {reference}',
    'invoice.taxIdLine': 'Número fiscal: {id}',
    'invoice.taxIdLabel': 'Número fiscal',
    'invoice.accountHolder': 'Titular de la cuenta: {holder}',
    'invoice.iban': 'IBAN: {iban}',
    'invoice.bic': 'BIC: {bic}',
    'invoice.paymentReference': 'Referencia de pago: {number}',
    'line.trial': '{product} (prueba, {days, plural, one {# día} many {# días} other {# días}})',
    'line.unusedTime': 'Tiempo no utilizado de {product}',
    'line.remainingTime': 'Tiempo restante de {product}',
    'creditNote.creditNotes': 'Notas de crédito',
    'creditNote.creditNote': 'Nota de crédito',
    'creditNote.title': 'Nota de crédito {number}',
    'creditNote.notNumbered': 'Aún sin número',
    'creditNote.invoiceOf': '{number} del {date}',
    'creditNote.creditedTo': 'Abonado a',
    'creditNote.net': 'Neto',
    'creditNote.totalCredited': 'Total abonado',
    'creditNote.reduced': 'Descontado del importe a pagar',
    'creditNote.toBalance': 'Añadido a su saldo',
    'creditNote.refunded': 'Reembolsado en su tarjeta',
    'creditNote.external': 'Devuelto por otra vía',
    'creditNote.unsettled': 'Reembolso fallido, contacte con el vendedor',
    'pdf.testMark': 'TEST: documento de un entorno de prueba, no es una solicitud de pago',
    'pdf.payInvoice': 'Pagar esta factura',
    'pdf.page': 'Página {page} de {pages}',
    'pdf.paid': '{amount} pagados.',
    'pdf.paidOn': '{amount} pagados el {date}.',
    'pdf.creditNote': 'Nota de crédito {number}: {amount}',
    'pdf.creditNoteOn': 'Nota de crédito {number} del {date}: {amount}',

    // Purchases.
    'session.payFor': 'Pagar {product}',
    'session.yourCountry': 'Su país',
    'session.countryText': 'El impuesto depende de dónde esté establecido.',
    'session.confirmOrder': 'Confirme su pedido',
    'session.addCode': 'Añadir un código de descuento',
    'session.discountCode': 'Código de descuento',
    'session.applyCode': 'Aplicar',
    'session.codeApplied': 'Se ha aplicado el descuento {discount}.',
    'session.removeCode': 'Quitar',
    'session.paymentRunning': 'Hay un pago en curso.',
    'session.addTaxId': 'Añadir un NIF-IVA o número fiscal',
    'session.updateTotal': 'Actualizar el total',
    'session.discountTitle': 'Descuento no disponible',
    'session.discountGone':
      'El descuento de esta oferta no está disponible en este momento. Pagará el precio completo.',
    'session.nothingDue': 'No hay nada que pagar. No se necesita tarjeta.',
    'session.nothingDueToday': 'Hoy no hay nada que pagar.',
    'session.cardForLater': 'Hoy no se cobra nada. Su tarjeta se guarda para pagos posteriores.',
    'session.withoutCard': 'Sin tarjeta, los pagos posteriores fallarán hasta que añada una.',
    'session.startTrial': 'Empezar la prueba gratuita',
    'session.confirmed': 'Confirmado',
    'session.thankYou': 'Gracias',
    'session.paymentReceived': 'Hemos recibido su pago.',
    'session.orderConfirmed': 'Su pedido está confirmado. No se ha cobrado nada.',
    'session.downloadInvoice': 'Descargar la factura {number} (PDF)',
    'session.expired': 'Este proceso de pago ha caducado',
    'session.expiredTitle': 'Proceso de pago caducado',
    'session.expiredText':
      'No se le ha cobrado nada. Para continuar, vuelva al sitio del vendedor y empiece de nuevo.',
    'session.dueToday': 'a pagar hoy',
    'session.estimatedToday': 'estimado, a pagar hoy',
    'session.quantity': 'Cantidad: {quantity}',
    'session.quantityAt': 'Cantidad: {quantity} × {rate}',
    'link.toPayment': 'Continuar al pago',
    'link.updatePrices': 'Actualizar precios',
    'link.discountNext': 'El descuento se aplica en la página siguiente.',
    'link.discountSome':
      'El descuento en {products} se aplica en la página siguiente. Por todo lo demás pagará el precio completo.',
    'link.ended': 'Esta oferta ha terminado',
    'link.endedText': 'Este enlace ya no está activo. Contacte con el vendedor.',
    'link.yourOrder': 'Su pedido',
    'link.chooseProduct': 'Elija un producto',
    'link.quantityFor': '{quantity} por {terms}',

    // Terms in words.
    'every.day': '{count, plural, one {cada día} many {cada # días} other {cada # días}}',
    'every.week': '{count, plural, one {cada semana} many {cada # semanas} other {cada # semanas}}',
    'every.month': '{count, plural, one {cada mes} many {cada # meses} other {cada # meses}}',
    'every.year': '{count, plural, one {cada año} many {cada # años} other {cada # años}}',
    'terms.plusTax': '{amount} más impuestos',
    'terms.includingTax': '{amount} impuestos incluidos',
    'terms.once': '{amount} una sola vez',
    'terms.oneTime': 'Pago único. Después no se cobra nada.',
    'terms.recurring': '{amount} {recurrence}',
    'terms.recurringFrom': '{amount} {recurrence} desde el {date}',
    'terms.today': '{amount} hoy',
    'terms.onDate': '{amount} el {date}',
    'terms.free': '{days, plural, one {# día gratis} many {# días gratis} other {# días gratis}}',
    'terms.then': '{first}, después {next}',
    'terms.laterAfterOnce': 'Después {next}',
    'terms.laterAfterRenewals': 'Lo mismo en cada renovación, después {next}',
    'terms.plusUsage': '{terms}, más el consumo',
    'terms.renews': 'Se renueva {recurrence}.',
    'terms.renewsSame': 'Se renueva {recurrence} al mismo precio.',
    'terms.nextRenewal': 'Próxima renovación el {date}. Cancele cuando quiera.',
    'terms.nextCharge': 'Próximo cobro el {date}. Cancele cuando quiera.',
    'terms.nextUsageCharge': 'Próximo cobro del consumo el {date}. Cancele cuando quiera.',
    'terms.nextChargePlusUsage': 'Próximo cobro más el consumo el {date}. Cancele cuando quiera.',
    'terms.usageBilled': 'El consumo se factura a posteriori, {recurrence}:',
    'terms.usageAfterTrial':
      'El consumo posterior a la prueba se factura a posteriori, {recurrence}:',
    'terms.each': '{rate} por unidad',
    'terms.eachPlus': '{rate} por unidad, más {flat}',
    'terms.allUnits': 'Todas las unidades {range}: {rate}',
    'terms.someUnits': 'Unidades {range}: {rate}',
    'terms.above': 'por encima de {from}',
    'terms.upTo': 'hasta {to}',
    'terms.aboveUpTo': 'por encima de {from} hasta {to}',
    'terms.anyNumber': 'en cualquier cantidad',
    'usage.usage': 'Consumo',
    'usage.named': '{name}: {terms}',
    'usage.included': '{quantity} incluidos {recurrence}, después {terms}',
    'usage.package': '{rate} por {size}, redondeado al alza',
    'usage.range': 'de {least} a {most} por unidad, según el volumen',
    'usage.plusFlat': '{terms}, más hasta {flat} por tramo',
    'usage.atLeast': '{terms}, como mínimo {least} {recurrence}',
    'usage.atMost': '{terms}, como máximo {most} {recurrence}',
    'usage.atLeastAtMost': '{terms}, como mínimo {least} y como máximo {most} {recurrence}',

    // Portal.
    'portal.billing': 'Facturación',
    'portal.pageTitle': '{title} · Facturación',
    'portal.skip': 'Ir al contenido',
    'portal.backTo': 'Volver a {host}',
    'portal.signOut': 'Cerrar sesión',
    'portal.overview': 'Resumen',
    'portal.usage': 'Consumo',
    'portal.invoices': 'Facturas',
    'portal.paymentMethods': 'Métodos de pago',
    'portal.contactDetails': 'Datos de contacto',
    'portal.shortPayment': 'Pago',
    'portal.shortContact': 'Contacto',
    'done.card-added': 'Se ha añadido la tarjeta.',
    'done.card-removed': 'Se ha eliminado la tarjeta.',
    'done.canceled': 'Su suscripción terminará cuando acabe el periodo actual.',
    'done.ended': 'Su suscripción está cancelada. No se le cobra nada.',
    'done.kept': 'Su suscripción se renovará como de costumbre.',
    'done.default-changed': 'Esta tarjeta es ahora la predeterminada.',
    'done.details-saved': 'Se han guardado sus datos.',
    'done.plan-changed': 'Se ha cambiado su plan.',
    'done.plan-scheduled': 'Su plan cambiará cuando acabe el periodo actual.',
    'done.plan-paying': 'Su pago se está procesando. Su plan cambia en cuanto se reciba.',
    'done.plan-kept': 'Conserva su plan actual.',
    'signIn.askTitle': 'Acceder al portal de facturación',
    'signIn.askText': 'Le enviamos un enlace que abre el portal.',
    'signIn.send': 'Enviar el enlace',
    'signIn.sentTitle': 'Revise su correo',
    'signIn.sentText': 'Si conocemos esta dirección, hemos enviado un enlace a ella.',
    'signIn.title': 'Su portal de facturación',
    'signIn.text':
      'Consulte sus suscripciones, consumo y facturas, y gestione sus métodos de pago.',
    'signIn.open': 'Abrir el portal',
    'signIn.once': 'Este enlace solo funciona una vez. No lo comparta.',
    'signIn.used': 'Este enlace ya se ha usado',
    'signIn.expired': 'Este enlace ha caducado',
    'signIn.newLink':
      'Un enlace al portal solo funciona una vez y caduca al cabo de una hora. Solicite uno nuevo donde encontró este.',
    'signIn.usedHere': 'Si lo abrió en este navegador, {link}.',
    'signIn.continue': 'continúe al portal',
    'signIn.signedOut': 'Ha cerrado la sesión',
    'signIn.signedOutText': 'Necesita un enlace nuevo para volver a abrir el portal.',
    'signIn.back': 'Volver',
    'signIn.sessionExpired': 'Su sesión ha caducado',
    'signIn.sessionExpiredText':
      'Una sesión del portal dura una hora. Solicite un enlace nuevo donde encontró el último.',
    'overview.noSubscriptions': 'Sin suscripciones',
    'overview.noSubscriptionsText': 'No tiene suscripciones activas. Vea sus {invoices}.',
    'overview.invoicesLink': 'facturas',
    'overview.overdue': 'Hay un pago vencido',
    'overview.openInvoices': 'Facturas pendientes',
    'overview.overdueText': 'Páguelo o añada otra tarjeta para conservar su suscripción.',
    'overview.balance': 'Saldo',
    'overview.balanceText': 'Su saldo es de {amounts}. Sus próximas facturas lo usan primero.',
    'overview.fixPayment': 'Regularizar',
    'overview.pay': 'Pagar',
    'overview.ofInvoice': ' la factura {number}',
    'overview.nextInvoice': 'Próxima factura',
    'overview.nextCharge': 'Próximo cobro',
    'overview.amountOn': '{amount} el {date}',
    'overview.discountOff': '{name}: {amount} de descuento',
    'overview.usageSoFar': 'Consumo hasta ahora',
    'overview.about': 'aproximadamente {amount}',
    'overview.estimate': 'Estimación.',
    'overview.estimateBefore': 'Estimación antes de descuentos.',
    'overview.billedAtEnd': 'Se factura al terminar la suscripción.',
    'overview.addedToNext': 'Se añade a la próxima factura.',
    'overview.seeUsage': 'Ver consumo',
    'overview.chargedTo': 'Se cobra en {card}.',
    'overview.changePaying': 'Su cambio a {plan}, se está pagando.',
    'overview.changeAt': 'Cambia a {plan}, el {date}.',
    'overview.keepPlan': 'Conservar el plan actual',
    'overview.pausesOn': 'Se pausa el {date}.',
    'overview.pausedSince': 'En pausa desde el {since}.',
    'overview.pausedUntil': 'En pausa desde el {since}. Se reanuda el {date}.',
    'overview.changePlan': 'Cambiar de plan',
    'overview.cancelSubscription': 'Cancelar la suscripción',
    'overview.endsOn': 'Su suscripción termina el {date} y no se renueva.',
    'overview.keepSubscription': 'Conservar la suscripción',
    'overview.paymentMethod': 'Método de pago',
    'overview.invoicesSent':
      'Recibe las facturas. Pague cada factura a más tardar en su vencimiento.',
    'overview.noCard': 'No hay ninguna tarjeta guardada. Añada una para pagar su suscripción.',
    'overview.cardCharged': 'Se cobra en {card}.',
    'overview.cardChargedExcept':
      'Se cobra en {card}, salvo en las suscripciones que muestran otra tarjeta.',
    'overview.managePaymentMethods': 'Gestionar los métodos de pago',
    'overview.billingDetails': 'Datos de facturación',
    'overview.editDetails': 'Editar los datos de contacto',
    'overview.ended': 'Terminadas',
    'overview.endedOn': 'terminada el {date}',
    'status.pastDue': 'Vencida',
    'status.ending': 'Termina',
    'status.trial': 'Prueba',
    'status.scheduled': 'Programada',
    'status.paused': 'En pausa',
    'status.active': 'Activa',
    'usagePage.tooMuch': 'por encima del importe máximo de una factura',
    'usagePage.none': 'Su plan no tiene cargos por consumo.',
    'usagePage.units': 'unidades',
    'usagePage.amount': '{quantity} {units}',
    'usagePage.included': '{quantity} de {included} {units} incluidos',
    'usagePage.credits': 'Créditos prepagados: quedan {remaining} de {granted} {units}',
    'usagePage.additional': 'Consumo adicional: {quantity} {units}',
    'usagePage.additionalCost': 'Consumo adicional: {quantity} {units}, {cost}',
    'usagePage.cost': 'Coste: {cost}',
    'usagePage.aboutSoFar': 'aproximadamente {amount} hasta ahora',
    'invoices.none': 'Todavía no hay facturas.',
    'invoices.status': 'Estado',
    'invoices.pdfOf': ' de {number}',
    'invoices.theInvoice': 'la factura',
    'invoices.pages': 'Páginas de facturas',
    'invoices.newer': 'Más recientes',
    'invoices.older': 'Más antiguas',
    'invoices.page': 'Página {page} de {pages}',
    'invoices.purchaseOpen': 'Esta factura pertenece a una compra que no está completa.',
    'invoices.continuePurchase': 'Continuar la compra',
    'invoices.payWithThisCard': 'Pagar {amount} con esta tarjeta',
    'invoices.payThis': 'Pagar esta factura',
    'invoices.payWithAnother': 'Pagar con otra tarjeta',
    'invoices.savedCards': 'Tarjetas guardadas',
    'methods.none': 'No hay ninguna tarjeta guardada.',
    'methods.add': 'Añadir una tarjeta',
    'methods.save': 'Guardar la tarjeta',
    'methods.default': 'Predeterminada',
    'methods.savedOn': 'Guardada el {date}.',
    'methods.defaultFirst': 'Para eliminar esta tarjeta, elija primero otra como predeterminada.',
    'methods.makeDefault': 'Usar como predeterminada',
    'methods.remove': 'Eliminar',
    'methods.useAsDefault': 'Usar como predeterminada',
    'methods.openCharged': 'Las facturas pendientes se cobran ahora en esta tarjeta.',
    'methods.isDefault': 'Elija primero otra tarjeta como predeterminada.',
    'methods.inUse':
      'Esta tarjeta paga una suscripción que no ha terminado. Añada primero otra tarjeta.',
    'methods.tooMany': 'Ha alcanzado el número máximo de tarjetas guardadas. Elimine primero una.',
    'cancel.title': '¿Cancelar {product}?',
    'cancel.pageTitle': 'Cancelar {product}',
    'cancel.scheduled':
      'Su suscripción aún no ha comenzado. Si la cancela ahora, no comenzará el {date} y no se le cobra nada. Esto no se puede deshacer.',
    'cancel.running':
      'Conserva el acceso hasta el {date}. Su suscripción no se renueva. Hasta entonces puede deshacer la cancelación.',
    'cancel.usage': 'El consumo por encima de lo incluido se sigue facturando.',
    'cancel.now': 'Cancelar ahora',
    'cancel.atEnd': 'Cancelar al final del periodo',
    'plan.change': 'Cambiar de plan',
    'plan.notPossible': 'Este cambio no es posible',
    'plan.current': 'Plan actual: {plan}',
    'plan.named': '{name}, {terms}',
    'plan.noOther': 'No hay ningún otro plan disponible para esta suscripción.',
    'plan.exactPrice': 'Verá el precio exacto antes de que cambie nada.',
    'plan.review': 'Revisar el cambio',
    'plan.backToOverview': 'Volver al resumen',
    'plan.yours': '{name} (su plan)',
    'plan.inTiers': '{quantity} unidades, con precio por tramos',
    'plan.times': '{quantity} × {terms}',
    'plan.nothingToChange': 'Este ya es su plan.',
    'plan.changePaying': 'Se está pagando otro cambio. Inténtelo de nuevo en un momento.',
    'plan.setToCancel': 'Su suscripción está cancelada. Deshaga la cancelación antes de cambiarla.',
    'plan.tooManyChanges': 'Esta suscripción se ha cambiado demasiadas veces en este periodo.',
    'plan.refused': 'Elija otro plan o contacte con el vendedor.',
    'review.title': 'Revise su cambio',
    'review.now': 'Ahora',
    'review.then': 'Después',
    'review.starts': 'Comienza',
    'review.stale': 'El precio ha cambiado desde que lo consultó.',
    'review.again': 'Revíselo de nuevo.',
    'review.notChanged': 'Su plan no ha cambiado.',
    'review.today': 'Hoy',
    'review.untilThen': 'Hasta entonces conserva su plan actual y puede deshacer este cambio.',
    'review.noCard': 'No hay ninguna tarjeta guardada. Primero: {addCard}.',
    'review.addCard': 'añadir una tarjeta',
    'review.chargedTo': 'Se cobra en {card}',
    'review.getInvoice': 'Recibirá una factura.',
    'review.takenOff': 'Descontado de las facturas pendientes',
    'review.usageSoFar': 'Incluye el consumo hasta ahora.',
    'review.usageUntilToday': 'Consumo hasta hoy',
    'review.ownInvoice': 'En una factura aparte.',
    'review.payAndChange': 'Pagar {amount} y cambiar de plan',
    'review.confirm': 'Confirmar el cambio',
    'review.another': 'Elegir otro plan',

    // Mails.
    testMail: 'TEST: este correo procede de un entorno de prueba. No se mueve dinero.',
    contact: '¿Preguntas? Escriba a {email}.',
    automaticMail:
      '{hasSeller, select, true {{seller} envía} other {Enviamos}} este correo automáticamente.',
    'paymentReason.card_declined': 'La tarjeta fue rechazada.',
    'paymentReason.insufficient_funds': 'La tarjeta no tiene fondos suficientes.',
    'paymentReason.expired_card': 'La tarjeta ha caducado.',
    'paymentReason.card_not_supported': 'La tarjeta no se admite.',
    'paymentReason.currency_not_supported': 'La tarjeta no admite esta moneda.',
    'paymentReason.payment_method_unavailable': 'Ya no se puede cobrar en la tarjeta.',
    'paymentReason.no_payment_method': 'No hay ningún método de pago guardado.',
    'paymentReason.other': 'No se pudo procesar el pago.',
  },
};
