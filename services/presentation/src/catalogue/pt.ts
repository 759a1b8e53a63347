import type { Catalogue } from './catalogue';

const greeting = 'Olá, {{customer.name}},';

/** The Portuguese texts. */
export const pt: Catalogue = {
  mails: {
    INVOICE_ISSUED: {
      subject:
        'Fatura {{invoice.number}}{{#seller.name}} de {{seller.name}}{{/seller.name}}: {{invoice.amountDue}}',
      body: `# Fatura {{invoice.number}}

${greeting}

Sua fatura de {{invoice.amountDue}} está disponível.{{#invoice.dueDate}} Pague até {{invoice.dueDate}}, por favor.{{/invoice.dueDate}}

{{#invoice.description}}- {{invoice.description}}{{/invoice.description}}

[Ver e pagar a fatura]({{link}})`,
    },
    RECEIPT: {
      subject:
        'Recibo da fatura {{invoice.number}}{{#seller.name}} de {{seller.name}}{{/seller.name}}',
      body: `# Obrigado pelo seu pagamento

${greeting}

Recebemos o seu pagamento da fatura {{invoice.number}}.

- Total: {{invoice.total}}
{{#invoice.description}}- {{invoice.description}}{{/invoice.description}}
{{#invoice.paidAt}}- Paga em {{invoice.paidAt}}{{/invoice.paidAt}}

{{#link}}[Ver a fatura]({{link}}){{/link}}`,
    },
    PAYMENT_FAILED: {
      subject: 'Seu pagamento de {{invoice.amountDue}} falhou',
      body: `# Seu pagamento falhou

${greeting}

Não conseguimos cobrar {{invoice.amountDue}} da fatura {{invoice.number}}. {{payment.reason}}

{{#payment.nextAttemptAt}}Tentaremos de novo em {{payment.nextAttemptAt}}. {{/payment.nextAttemptAt}}Você pode pagar agora, também com outro cartão.

[Pagar a fatura]({{link}})`,
    },
    ACTION_REQUIRED: {
      subject: 'Confirme o seu pagamento de {{invoice.amountDue}}',
      body: `# Confirme o seu pagamento

${greeting}

Seu banco pede que você confirme o pagamento de {{invoice.amountDue}} da fatura {{invoice.number}}.

[Confirmar o pagamento]({{link}})`,
    },
    PAYMENT_REMINDER: {
      subject: 'Lembrete: a fatura {{invoice.number}} não foi paga',
      body: `# A fatura {{invoice.number}} não foi paga

${greeting}

Não recebemos {{invoice.amountDue}} da fatura {{invoice.number}}{{#invoice.dueDate}}, que venceu em {{invoice.dueDate}}{{/invoice.dueDate}}.

[Ver e pagar a fatura]({{link}})`,
    },
    CREDIT_NOTE_ISSUED: {
      subject:
        'Nota de crédito {{creditNote.number}}{{#seller.name}} de {{seller.name}}{{/seller.name}}',
      body: `# Nota de crédito {{creditNote.number}}

${greeting}

Creditamos {{creditNote.total}} da fatura {{invoice.number}}.

{{#link}}[Ver a fatura]({{link}}){{/link}}`,
    },
    CARD_EXPIRING: {
      subject: 'Seu cartão vence em breve',
      body: `# Seu cartão vence em breve

${greeting}

Seu cartão{{#card}} {{card}}{{/card}} vence{{#card.expiry}} no fim de {{card.expiry}}{{/card.expiry}}. Adicione outro cartão antes do próximo pagamento.

{{#link}}[Atualizar a forma de pagamento]({{link}}){{/link}}`,
    },
    TRIAL_STARTED: {
      subject:
        'Seu período de teste{{#subscription.product}} de {{subscription.product}}{{/subscription.product}} começou',
      body: `# Seu período de teste começou

${greeting}

Seu período de teste{{#subscription.product}} de {{subscription.product}}{{/subscription.product}} vai até {{subscription.trialEnd}}. Depois, a assinatura é cobrada.

{{#link}}[Gerenciar a assinatura]({{link}}){{/link}}`,
    },
    TRIAL_ENDING: {
      subject:
        'Seu período de teste{{#subscription.product}} de {{subscription.product}}{{/subscription.product}} termina em {{subscription.trialEnd}}',
      body: `# Seu período de teste termina em breve

${greeting}

Seu período de teste{{#subscription.product}} de {{subscription.product}}{{/subscription.product}} termina em {{subscription.trialEnd}}.{{#subscription.upcomingAmount}} Nessa data serão cobrados {{subscription.upcomingAmount}}.{{/subscription.upcomingAmount}}

{{#link}}[Gerenciar a assinatura]({{link}}){{/link}}`,
    },
    RENEWAL_UPCOMING: {
      subject: 'Sua assinatura é renovada em {{subscription.upcomingAt}}',
      body: `# Sua assinatura será renovada em breve

${greeting}

Sua assinatura{{#subscription.product}} de {{subscription.product}}{{/subscription.product}} é renovada em {{subscription.upcomingAt}}. Nessa data serão cobrados {{subscription.upcomingAmount}}.

{{#link}}[Gerenciar a assinatura]({{link}}){{/link}}`,
    },
    CANCELLATION_SCHEDULED: {
      subject: 'Sua assinatura termina em {{subscription.endsAt}}',
      body: `# Sua assinatura vai terminar

${greeting}

Sua assinatura{{#subscription.product}} de {{subscription.product}}{{/subscription.product}} foi cancelada. Ela continua ativa até {{subscription.endsAt}}.

{{#link}}[Gerenciar a assinatura]({{link}}){{/link}}`,
    },
    SUBSCRIPTION_CANCELED: {
      subject: 'Sua assinatura terminou',
      body: `# Sua assinatura terminou

${greeting}

Sua assinatura{{#subscription.product}} de {{subscription.product}}{{/subscription.product}} terminou{{#subscription.endsAt}} em {{subscription.endsAt}}{{/subscription.endsAt}}. Ela não é mais cobrada.`,
    },
    PORTAL_LINK: {
      subject: 'Seu link de acesso{{#seller.name}} a {{seller.name}}{{/seller.name}}',
      body: `# Seu link de acesso

${greeting}

Abra o portal de cobrança com este link. Ele funciona uma única vez, durante uma hora.

[Abrir o portal]({{link}})

Se você não pediu este link, ignore este e-mail.`,
    },
  },
  phrases: {
    // Frame of pages.
    'page.testMode': 'Modo de teste',
    'page.testModeNote': 'Nada é cobrado de verdade.',
    'footer.questions': 'Dúvidas?',
    'footer.support': 'Ajuda',
    'footer.terms': 'Termos',
    'footer.privacy': 'Privacidade',
    'footer.languages': 'Idiomas',
    'failure.didNotWork': 'Não funcionou',
    'failure.unreadable': 'Não foi possível ler o formulário. Tente de novo.',
    'failure.foreignForm':
      'O formulário foi enviado de outro site. Abra a página de novo e tente por lá.',
    'failure.notFoundTitle': 'Página não encontrada',
    'failure.notFound': 'Esta página não existe. Verifique o endereço ou fale com o vendedor.',
    'failure.unsupportedAction': 'Esta página não permite essa ação.',
    'failure.conflict': 'Isso não é mais possível. Abra a página de novo.',
    'failure.tooLong': 'O texto digitado é longo demais.',
    'failure.tooManyTitle': 'Solicitações demais',
    'failure.tooMany': 'Aguarde um momento e tente de novo.',
    'failure.unavailableTitle': 'Temporariamente indisponível',
    'failure.unavailable':
      'Tente de novo em instantes. Se você estava pagando, consulte primeiro a página: o pagamento pode ter sido feito.',
    'failure.faultTitle': 'Ocorreu um erro',
    'failure.fault':
      'O erro é nosso. Se você estava pagando, consulte primeiro a página: o pagamento pode ter sido feito.',
    'failure.back': 'Voltar à página',

    // Forms.
    labeled: '{label}: {text}',
    sentences: '{first} {second}',
    'form.optional': '(opcional)',
    'form.fixFields': 'Corrija os campos abaixo',
    'form.form': 'Formulário',
    'form.continue': 'Continuar',
    'form.confirm': 'Confirmar',
    'form.save': 'Salvar',
    'form.cancelBack': 'Cancelar e voltar',
    'field.name': 'Nome',
    'field.email': 'E-mail',
    'field.phone': 'Telefone',
    'field.language': 'Idioma',
    'field.languageAutomatic': 'Como no navegador',
    'field.quantity': 'Quantidade',
    'field.product': 'Produto',
    'field.plan': 'Plano',
    'field.country': 'País',
    'field.company': 'Nome ou empresa',
    'field.taxId': 'Número de IVA ou fiscal',
    'field.taxIdHint': 'Para empresas, com o país na frente, por exemplo DE136695976.',
    'field.emailOrderHint': 'Para a fatura e as novidades do seu pedido.',
    'field.emailPortalHint': 'Para as faturas e as novidades da sua assinatura.',
    'field.quantityRange': 'De {min} a {max}',
    'field.quantityPlanHint': 'Para planos com preço por unidade.',
    'address.address': 'Endereço',
    'address.line1': 'Rua e número',
    'address.line2': 'Complemento',
    'address.postalCode': 'Código postal',
    'address.city': 'Cidade',
    'address.state': 'Estado ou região',
    'problem.discountCode': 'Este código não é válido.',
    'problem.required': 'Obrigatório',
    'problem.email': 'E-mail inválido',
    'problem.country': 'País inválido',
    'problem.taxId': 'Número de IVA ou fiscal inválido',
    'problem.tooLong': 'No máximo {max} caracteres',
    'problem.controlCharacters': 'Não pode conter caracteres de controle',
    'problem.expiryFormat': 'Deve ter o formato MM/AA',
    'problem.cardExpired': 'O cartão está vencido',
    'problem.codeDigits': 'Deve ter 3 ou 4 dígitos',
    'problem.testCardsOnly': 'Aqui só são aceitos cartões de teste',
    'problem.wholeNumber': 'Deve ser um número inteiro de {min, number} a {max, number}',
    'problem.totalTooLarge': 'O total ultrapassa o valor máximo',
    'problem.choosePlan': 'Escolha um plano',
    'problem.planGone': 'Este plano não está mais disponível',
    'problem.locale': 'Idioma não disponível',
    'problem.other': 'Verifique este campo',

    // Cards and payments.
    'card.number': 'Número do cartão',
    'card.expiry': 'Validade',
    'card.expiryHint': 'MM/AA',
    'card.code': 'Código de segurança',
    'card.codeHint': '3 ou 4 dígitos',
    'card.holder': 'Nome no cartão',
    'card.totalChanged': 'O total mudou.',
    'card.nothingCharged': 'Nada foi cobrado.',
    'card.unavailable':
      'Pagamentos com cartão não estão disponíveis no momento. Fale com o vendedor.',
    'card.atProvider':
      'Você digita o cartão na página do nosso provedor de pagamentos e depois volta para cá.',
    'card.toProvider': 'Continuar para os dados do cartão',
    'card.providerTitle': 'Dados do cartão',
    'card.providerText':
      'Você digita o cartão na página do nosso provedor de pagamentos. Se a página não abrir automaticamente, use o botão abaixo.',
    'card.ready': 'Seu cartão está pronto',
    'card.useAnother': 'Usar outro cartão',
    'card.testCards': 'Cartões de teste',
    'card.testCardsHint':
      'Use qualquer validade futura e qualquer código de segurança. Outros números de cartão são recusados.',
    'card.testNumber': 'Número',
    'card.testEffect': 'Efeito',
    'testCard.succeeds': 'é cobrado',
    'testCard.succeedsMastercard': 'é cobrado (Mastercard)',
    'testCard.challenge': 'exige 3-D Secure uma vez',
    'testCard.challengeDeclined': 'exige 3-D Secure e depois é recusado',
    'testCard.declined': 'é recusado',
    'testCard.insufficientFunds': 'não tem saldo suficiente',
    'testCard.processingError': 'falha com um erro de processamento',
    'testCard.expired': 'está vencido',
    'testCard.lost': 'foi perdido',
    'testCard.stolen': 'foi roubado',
    'testCard.laterFails': 'é salvo, mas toda cobrança posterior falha',
    'testCard.renewalFails': 'falha nas duas primeiras renovações e depois é cobrado',
    'testCard.belowMinimum': 'não aceita valores abaixo de 50 unidades mínimas',
    'testCard.refunded': 'é reembolsado um dia depois',
    'testCard.notRefundable': 'não pode ser reembolsado',
    'testCard.disputeLost': 'é contestado um dia depois e a contestação é perdida',
    'testCard.disputeWon': 'é contestado um dia depois e a contestação é ganha',
    'card.endingIn': '{brand} com final {last4}',
    'card.expires': 'Válido até {date}.',
    'card.expired': 'Vencido em {date}.',
    'payment.pay': 'Pagar {amount}',
    'payment.payByCard': 'Pagar com cartão',
    'payment.lastFailed': 'O último pagamento falhou',
    'payment.failed': 'O pagamento falhou',
    'payment.processing': 'Seu pagamento está sendo processado',
    'payment.processingText': 'Isso leva um momento. A página é atualizada automaticamente.',
    'payment.refresh': 'Atualizar',
    'challenge.paymentTitle': 'Confirme o seu pagamento',
    'challenge.cardTitle': 'Confirme o seu cartão',
    'challenge.payment': 'Seu banco pede que você confirme o pagamento de {amount} (3-D Secure).',
    'challenge.card':
      'Seu banco pede que você confirme que pagamentos posteriores podem ser cobrados no seu cartão (3-D Secure).',
    'challenge.testMode': 'Modo de teste: escolha um resultado.',
    'challenge.toBank': 'Continuar para o seu banco',
    'challenge.approve': 'Aprovar',
    'challenge.decline': 'Recusar',
    'challenge.bankTitle': 'Confirme com o seu banco',
    'challenge.bankText':
      'Seu banco pede que você confirme este pagamento. Se a página não abrir automaticamente, use o botão abaixo.',
    'payerMessage.card_declined': 'Seu cartão foi recusado.',
    'payerMessage.insufficient_funds': 'Seu cartão não tem saldo suficiente.',
    'payerMessage.processing_error': 'Não foi possível processar o seu cartão. Tente de novo.',
    'payerMessage.authentication_required': 'Seu banco não confirmou o pagamento. Tente de novo.',
    'payerMessage.expired_card': 'Seu cartão está vencido.',
    'payerMessage.card_not_supported': 'Seu cartão não é aceito. Use outro.',
    'payerMessage.currency_not_supported': 'Seu cartão não aceita esta moeda. Use outro.',
    'payerMessage.payment_method_unavailable': 'Seu cartão não pode mais ser cobrado. Use outro.',
    'payerMessage.amount_not_supported': 'Este valor não pode ser pago com cartão.',
    'payerMessage.no_payment_method': 'Nenhuma forma de pagamento salva.',
    'payerMessage.no_payment_provider': 'Os pagamentos não estão disponíveis no momento.',
    'payerMessage.other': 'Seu pagamento falhou. Tente de novo.',

    // Invoices and credit notes.
    'invoice.invoice': 'Fatura',
    'invoice.title': 'Fatura {number}',
    'invoice.number': 'Número',
    'invoice.date': 'Data',
    'invoice.due': 'Vencimento',
    'invoice.period': 'Período',
    'invoice.purchaseOrder': 'Pedido de compra',
    'invoice.order': 'Pedido',
    'invoice.from': 'De',
    'invoice.billedTo': 'Faturado a',
    'invoice.downloadPdf': 'Baixar em PDF',
    'invoice.bankTransfer': 'Transferência bancária',
    'invoice.open': 'Em aberto',
    'invoice.paid': 'Paga',
    'invoice.void': 'Anulada',
    'invoice.uncollectible': 'Incobrável',
    'invoice.draft': 'Rascunho',
    'invoice.paidText': 'Obrigado. Esta fatura está paga.',
    'invoice.paidOn': 'Obrigado. Esta fatura está paga. Pagamento recebido em {date}.',
    'invoice.settledOn': 'Obrigado. Esta fatura está paga. Liquidada em {date}.',
    'invoice.voidText': 'Esta fatura foi anulada. Você não deve nada.',
    'invoice.uncollectibleText': 'Esta fatura não pode mais ser paga aqui. Fale com o vendedor.',
    'invoice.description': 'Descrição',
    'invoice.quantity': 'Quantidade',
    'invoice.unitPrice': 'Preço unitário',
    'invoice.amount': 'Valor',
    'invoice.each': '{rate} por unidade',
    'invoice.showCalculation': 'Mostrar o cálculo',
    'invoice.subtotal': 'Subtotal',
    'invoice.total': 'Total',
    'invoice.amountDue': 'Valor a pagar',
    'invoice.dueToday': 'A pagar hoje',
    'invoice.discount': 'Desconto: {name}',
    'invoice.tax': 'Imposto',
    'invoice.taxOn': '{name} {percent}% sobre {amount}',
    'invoice.includes': 'Inclui {tax}',
    'invoice.legalTaxOn': '{text}, 0% sobre {amount}',
    'invoice.balanceApplied': 'Saldo utilizado',
    'invoice.amountPaid': 'Pago',
    'invoice.credited': 'Creditado',
    'invoice.notPaid': 'Não pago',
    'invoice.registrationNumber': 'Número de registro: {number}',
    'invoice.reference': 'Referência: {reference}',
    'invoice.taxIdLine': 'Número fiscal: {id}',
    'invoice.taxIdLabel': 'Número fiscal',
    'invoice.accountHolder': 'Titular da conta: {holder}',
    'invoice.iban': 'IBAN: {iban}',
    'invoice.bic': 'BIC: {bic}',
    'invoice.paymentReference': 'Referência do pagamento: {number}',
    'line.trial': '{product} (teste, {days, plural, one {# dia} many {# dias} other {# dias}})',
    'line.unusedTime': 'Tempo não utilizado de {product}',
    'line.remainingTime': 'Tempo restante de {product}',
    'creditNote.creditNotes': 'Notas de crédito',
    'creditNote.creditNote': 'Nota de crédito',
    'creditNote.title': 'Nota de crédito {number}',
    'creditNote.notNumbered': 'Ainda sem número',
    'creditNote.invoiceOf': '{number} de {date}',
    'creditNote.creditedTo': 'Creditado a',
    'creditNote.net': 'Líquido',
    'creditNote.totalCredited': 'Total creditado',
    'creditNote.reduced': 'Descontado do valor a pagar',
    'creditNote.toBalance': 'Adicionado ao seu saldo',
    'creditNote.refunded': 'Reembolsado no seu cartão',
    'creditNote.external': 'Devolvido de outra forma',
    'creditNote.unsettled': 'O reembolso falhou, fale com o vendedor',
    'pdf.testMark': 'TEST: documento de um ambiente de teste, não é um pedido de pagamento',
    'pdf.payInvoice': 'Pagar esta fatura',
    'pdf.page': 'Página {page} de {pages}',
    'pdf.paid': '{amount} pagos.',
    'pdf.paidOn': '{amount} pagos em {date}.',
    'pdf.creditNote': 'Nota de crédito {number}: {amount}',
    'pdf.creditNoteOn': 'Nota de crédito {number} de {date}: {amount}',

    // Purchases.
    'session.payFor': 'Pagar {product}',
    'session.yourCountry': 'Seu país',
    'session.countryText': 'O imposto depende de onde você está estabelecido.',
    'session.confirmOrder': 'Confirme o seu pedido',
    'session.addCode': 'Adicionar um código de desconto',
    'session.discountCode': 'Código de desconto',
    'session.applyCode': 'Aplicar',
    'session.codeApplied': 'O desconto {discount} está aplicado.',
    'session.removeCode': 'Remover',
    'session.paymentRunning': 'Há um pagamento em curso.',
    'session.addTaxId': 'Adicionar um número de IVA ou fiscal',
    'session.updateTotal': 'Atualizar o total',
    'session.discountTitle': 'Desconto indisponível',
    'session.discountGone':
      'O desconto desta oferta não está disponível no momento. Você paga o preço integral.',
    'session.nothingDue': 'Não há nada a pagar. Não é preciso cartão.',
    'session.nothingDueToday': 'Hoje não há nada a pagar.',
    'session.cardForLater': 'Hoje nada é cobrado. Seu cartão é salvo para pagamentos posteriores.',
    'session.withoutCard': 'Sem cartão, os pagamentos posteriores falharão até você adicionar um.',
    'session.startTrial': 'Começar o teste grátis',
    'session.confirmed': 'Confirmado',
    'session.thankYou': 'Obrigado',
    'session.paymentReceived': 'Seu pagamento foi recebido.',
    'session.orderConfirmed': 'Seu pedido está confirmado. Nada foi cobrado.',
    'session.downloadInvoice': 'Baixar a fatura {number} (PDF)',
    'session.expired': 'Esta página de pagamento expirou',
    'session.expiredTitle': 'Página de pagamento expirada',
    'session.expiredText':
      'Nada foi cobrado de você. Para continuar, volte ao site do vendedor e comece de novo.',
    'session.dueToday': 'a pagar hoje',
    'session.estimatedToday': 'estimativa, a pagar hoje',
    'session.quantity': 'Quantidade: {quantity}',
    'session.quantityAt': 'Quantidade: {quantity} × {rate}',
    'link.toPayment': 'Continuar para o pagamento',
    'link.updatePrices': 'Atualizar os preços',
    'link.discountNext': 'O desconto é aplicado na próxima página.',
    'link.discountSome':
      'O desconto em {products} é aplicado na próxima página. Você paga o preço integral por todo o resto.',
    'link.ended': 'Esta oferta terminou',
    'link.endedText': 'Este link não está mais ativo. Fale com o vendedor.',
    'link.yourOrder': 'Seu pedido',
    'link.chooseProduct': 'Escolha um produto',
    'link.quantityFor': '{quantity} por {terms}',

    // Terms in words.
    'every.day': '{count, plural, one {a cada dia} many {a cada # dias} other {a cada # dias}}',
    'every.week':
      '{count, plural, one {a cada semana} many {a cada # semanas} other {a cada # semanas}}',
    'every.month': '{count, plural, one {a cada mês} many {a cada # meses} other {a cada # meses}}',
    'every.year': '{count, plural, one {a cada ano} many {a cada # anos} other {a cada # anos}}',
    'terms.plusTax': '{amount} mais impostos',
    'terms.includingTax': '{amount} com impostos',
    'terms.once': '{amount} uma única vez',
    'terms.oneTime': 'Pagamento único. Depois nada é cobrado.',
    'terms.recurring': '{amount} {recurrence}',
    'terms.recurringFrom': '{amount} {recurrence} a partir de {date}',
    'terms.today': '{amount} hoje',
    'terms.onDate': '{amount} em {date}',
    'terms.free': '{days, plural, one {# dia grátis} many {# dias grátis} other {# dias grátis}}',
    'terms.then': '{first}, depois {next}',
    'terms.laterAfterOnce': 'Depois {next}',
    'terms.laterAfterRenewals': 'O mesmo em cada renovação, depois {next}',
    'terms.plusUsage': '{terms}, mais o consumo',
    'terms.renews': 'Renovação {recurrence}.',
    'terms.renewsSame': 'Renovação {recurrence} pelo mesmo preço.',
    'terms.nextRenewal': 'Próxima renovação em {date}. Cancele quando quiser.',
    'terms.nextCharge': 'Próxima cobrança em {date}. Cancele quando quiser.',
    'terms.nextUsageCharge': 'Próxima cobrança do consumo em {date}. Cancele quando quiser.',
    'terms.nextChargePlusUsage':
      'Próxima cobrança mais o consumo em {date}. Cancele quando quiser.',
    'terms.usageBilled': 'O consumo é faturado depois, {recurrence}:',
    'terms.usageAfterTrial': 'O consumo após o teste é faturado depois, {recurrence}:',
    'terms.each': '{rate} por unidade',
    'terms.eachPlus': '{rate} por unidade, mais {flat}',
    'terms.allUnits': 'Todas as unidades {range}: {rate}',
    'terms.someUnits': 'Unidades {range}: {rate}',
    'terms.above': 'acima de {from}',
    'terms.upTo': 'até {to}',
    'terms.aboveUpTo': 'acima de {from} até {to}',
    'terms.anyNumber': 'em qualquer quantidade',
    'usage.usage': 'Consumo',
    'usage.named': '{name}: {terms}',
    'usage.included': '{quantity} incluídos {recurrence}, depois {terms}',
    'usage.package': '{rate} por {size}, arredondado para cima',
    'usage.range': 'de {least} a {most} por unidade, conforme o volume',
    'usage.plusFlat': '{terms}, mais até {flat} por faixa',
    'usage.atLeast': '{terms}, no mínimo {least} {recurrence}',
    'usage.atMost': '{terms}, no máximo {most} {recurrence}',
    'usage.atLeastAtMost': '{terms}, no mínimo {least} e no máximo {most} {recurrence}',

    // Portal.
    'portal.billing': 'Cobrança',
    'portal.pageTitle': '{title} · Cobrança',
    'portal.skip': 'Ir para o conteúdo',
    'portal.backTo': 'Voltar para {host}',
    'portal.signOut': 'Sair',
    'portal.overview': 'Visão geral',
    'portal.usage': 'Consumo',
    'portal.invoices': 'Faturas',
    'portal.paymentMethods': 'Formas de pagamento',
    'portal.contactDetails': 'Dados de contato',
    'portal.shortPayment': 'Pagamento',
    'portal.shortContact': 'Contato',
    'done.card-added': 'O cartão foi adicionado.',
    'done.card-removed': 'O cartão foi removido.',
    'done.canceled': 'Sua assinatura terminará no fim do período atual.',
    'done.ended': 'Sua assinatura está cancelada. Nada é cobrado de você.',
    'done.kept': 'Sua assinatura será renovada como de costume.',
    'done.default-changed': 'Este cartão agora é o padrão.',
    'done.details-saved': 'Seus dados foram salvos.',
    'done.plan-changed': 'Seu plano foi alterado.',
    'done.plan-scheduled': 'Seu plano mudará no fim do período atual.',
    'done.plan-paying':
      'Seu pagamento está sendo processado. Seu plano muda assim que ele for recebido.',
    'done.plan-kept': 'Você mantém o plano atual.',
    'signIn.askTitle': 'Entrar no portal de cobrança',
    'signIn.askText': 'Enviamos a você um link que abre o portal.',
    'signIn.send': 'Enviar o link',
    'signIn.sentTitle': 'Verifique o seu e-mail',
    'signIn.sentText': 'Se conhecemos este endereço, enviamos um link para ele.',
    'signIn.title': 'Seu portal de cobrança',
    'signIn.text': 'Veja suas assinaturas, consumo e faturas e gerencie suas formas de pagamento.',
    'signIn.open': 'Abrir o portal',
    'signIn.once': 'Este link só funciona uma vez. Não o compartilhe.',
    'signIn.used': 'Este link já foi usado',
    'signIn.expired': 'Este link expirou',
    'signIn.newLink':
      'Um link do portal só funciona uma vez e expira depois de uma hora. Peça um novo onde você encontrou este.',
    'signIn.usedHere': 'Se você o abriu neste navegador, {link}.',
    'signIn.continue': 'continue para o portal',
    'signIn.signedOut': 'Você saiu do portal',
    'signIn.signedOutText': 'Você precisa de um novo link para abrir o portal de novo.',
    'signIn.back': 'Voltar',
    'signIn.sessionExpired': 'Sua sessão expirou',
    'signIn.sessionExpiredText':
      'Uma sessão do portal dura uma hora. Peça um novo link onde você encontrou o último.',
    'overview.noSubscriptions': 'Nenhuma assinatura',
    'overview.noSubscriptionsText': 'Você não tem assinaturas ativas. Veja suas {invoices}.',
    'overview.invoicesLink': 'faturas',
    'overview.overdue': 'Um pagamento está em atraso',
    'overview.openInvoices': 'Faturas em aberto',
    'overview.overdueText': 'Pague ou adicione outro cartão para manter a sua assinatura.',
    'overview.balance': 'Saldo',
    'overview.balanceText': 'Seu saldo é de {amounts}. Suas próximas faturas o utilizam primeiro.',
    'overview.fixPayment': 'Regularizar',
    'overview.pay': 'Pagar',
    'overview.ofInvoice': ' a fatura {number}',
    'overview.nextInvoice': 'Próxima fatura',
    'overview.nextCharge': 'Próxima cobrança',
    'overview.amountOn': '{amount} em {date}',
    'overview.discountOff': '{name}: {amount} de desconto',
    'overview.usageSoFar': 'Consumo até agora',
    'overview.about': 'cerca de {amount}',
    'overview.estimate': 'Estimativa.',
    'overview.estimateBefore': 'Estimativa antes dos descontos.',
    'overview.billedAtEnd': 'Faturado quando a assinatura terminar.',
    'overview.addedToNext': 'Adicionado à próxima fatura.',
    'overview.seeUsage': 'Ver o consumo',
    'overview.chargedTo': 'Cobrado em {card}.',
    'overview.changePaying': 'Sua mudança para {plan}, está sendo paga.',
    'overview.changeAt': 'Muda para {plan}, em {date}.',
    'overview.keepPlan': 'Manter o plano atual',
    'overview.pausesOn': 'Pausa em {date}.',
    'overview.pausedSince': 'Em pausa desde {since}.',
    'overview.pausedUntil': 'Em pausa desde {since}. Retoma em {date}.',
    'overview.changePlan': 'Mudar de plano',
    'overview.cancelSubscription': 'Cancelar a assinatura',
    'overview.endsOn': 'Sua assinatura termina em {date} e não é renovada.',
    'overview.keepSubscription': 'Manter a assinatura',
    'overview.paymentMethod': 'Forma de pagamento',
    'overview.invoicesSent': 'As faturas são enviadas a você. Pague cada fatura até o vencimento.',
    'overview.noCard': 'Nenhum cartão salvo. Adicione um cartão para pagar a sua assinatura.',
    'overview.cardCharged': 'A cobrança é feita em {card}.',
    'overview.cardChargedExcept':
      'A cobrança é feita em {card}, exceto nas assinaturas que mostram outro cartão.',
    'overview.managePaymentMethods': 'Gerenciar as formas de pagamento',
    'overview.billingDetails': 'Dados de cobrança',
    'overview.editDetails': 'Editar os dados de contato',
    'overview.ended': 'Terminadas',
    'overview.endedOn': 'terminou em {date}',
    'status.pastDue': 'Em atraso',
    'status.ending': 'Terminando',
    'status.trial': 'Teste',
    'status.scheduled': 'Agendada',
    'status.paused': 'Em pausa',
    'status.active': 'Ativa',
    'usagePage.tooMuch': 'acima do valor máximo de uma fatura',
    'usagePage.none': 'Seu plano não tem cobranças por consumo.',
    'usagePage.units': 'unidades',
    'usagePage.amount': '{quantity} {units}',
    'usagePage.included': '{quantity} de {included} {units} incluídos',
    'usagePage.credits': 'Créditos pré-pagos: restam {remaining} de {granted} {units}',
    'usagePage.additional': 'Consumo adicional: {quantity} {units}',
    'usagePage.additionalCost': 'Consumo adicional: {quantity} {units}, {cost}',
    'usagePage.cost': 'Custo: {cost}',
    'usagePage.aboutSoFar': 'cerca de {amount} até agora',
    'invoices.none': 'Ainda não há faturas.',
    'invoices.status': 'Status',
    'invoices.pdfOf': ' de {number}',
    'invoices.theInvoice': 'a fatura',
    'invoices.pages': 'Páginas de faturas',
    'invoices.newer': 'Mais recentes',
    'invoices.older': 'Mais antigas',
    'invoices.page': 'Página {page} de {pages}',
    'invoices.purchaseOpen': 'Esta fatura pertence a uma compra que não foi concluída.',
    'invoices.continuePurchase': 'Continuar a compra',
    'invoices.payWithThisCard': 'Pagar {amount} com este cartão',
    'invoices.payThis': 'Pagar esta fatura',
    'invoices.payWithAnother': 'Pagar com outro cartão',
    'invoices.savedCards': 'Cartões salvos',
    'methods.none': 'Nenhum cartão salvo.',
    'methods.add': 'Adicionar um cartão',
    'methods.save': 'Salvar o cartão',
    'methods.default': 'Padrão',
    'methods.savedOn': 'Salvo em {date}.',
    'methods.defaultFirst': 'Para remover este cartão, defina primeiro outro como padrão.',
    'methods.makeDefault': 'Definir como padrão',
    'methods.remove': 'Remover',
    'methods.useAsDefault': 'Usar como padrão',
    'methods.openCharged': 'As faturas em aberto são cobradas agora neste cartão.',
    'methods.isDefault': 'Defina primeiro outro cartão como padrão.',
    'methods.inUse':
      'Este cartão paga uma assinatura que não terminou. Adicione primeiro outro cartão.',
    'methods.tooMany': 'Você atingiu o número máximo de cartões salvos. Remova um primeiro.',
    'cancel.title': 'Cancelar {product}?',
    'cancel.pageTitle': 'Cancelar {product}',
    'cancel.scheduled':
      'Sua assinatura ainda não começou. Se você cancelar agora, ela não começará em {date} e nada será cobrado. Isso não pode ser desfeito.',
    'cancel.running':
      'Você mantém o acesso até {date}. Sua assinatura não é renovada. Até lá, você pode desfazer o cancelamento.',
    'cancel.usage': 'O consumo além do incluído ainda é faturado.',
    'cancel.now': 'Cancelar agora',
    'cancel.atEnd': 'Cancelar no fim do período',
    'plan.change': 'Mudar de plano',
    'plan.notPossible': 'Esta mudança não é possível',
    'plan.current': 'Plano atual: {plan}',
    'plan.named': '{name}, {terms}',
    'plan.noOther': 'Não há outro plano disponível para esta assinatura.',
    'plan.exactPrice': 'Você vê o preço exato antes de qualquer mudança.',
    'plan.review': 'Revisar a mudança',
    'plan.backToOverview': 'Voltar à visão geral',
    'plan.yours': '{name} (seu plano)',
    'plan.inTiers': '{quantity} unidades, com preço por faixas',
    'plan.times': '{quantity} × {terms}',
    'plan.nothingToChange': 'Este já é o seu plano.',
    'plan.changePaying': 'Outra mudança está sendo paga. Tente de novo em instantes.',
    'plan.setToCancel': 'Sua assinatura está cancelada. Desfaça o cancelamento antes de alterá-la.',
    'plan.tooManyChanges': 'Esta assinatura foi alterada vezes demais neste período.',
    'plan.refused': 'Escolha outro plano ou fale com o vendedor.',
    'review.title': 'Revise a sua mudança',
    'review.now': 'Agora',
    'review.then': 'Depois',
    'review.starts': 'Início',
    'review.stale': 'O preço mudou desde que você o consultou.',
    'review.again': 'Revise de novo.',
    'review.notChanged': 'Seu plano não mudou.',
    'review.today': 'Hoje',
    'review.untilThen': 'Até lá, você mantém o plano atual e pode desfazer esta mudança.',
    'review.noCard': 'Nenhum cartão salvo. Primeiro: {addCard}.',
    'review.addCard': 'adicione um cartão',
    'review.chargedTo': 'Cobrado em {card}',
    'review.getInvoice': 'Você recebe uma fatura.',
    'review.takenOff': 'Descontado das faturas em aberto',
    'review.usageSoFar': 'Inclui o consumo até agora.',
    'review.usageUntilToday': 'Consumo até hoje',
    'review.ownInvoice': 'Numa fatura separada.',
    'review.payAndChange': 'Pagar {amount} e mudar de plano',
    'review.confirm': 'Confirmar a mudança',
    'review.another': 'Escolher outro plano',

    // Mails.
    testMail: 'TEST: este e-mail vem de um ambiente de teste. Nenhum dinheiro é movimentado.',
    contact: 'Dúvidas? Escreva para {email}.',
    automaticMail:
      '{hasSeller, select, true {{seller} envia} other {Enviamos}} este e-mail automaticamente.',
    'paymentReason.card_declined': 'O cartão foi recusado.',
    'paymentReason.insufficient_funds': 'O cartão não tem saldo suficiente.',
    'paymentReason.expired_card': 'O cartão está vencido.',
    'paymentReason.card_not_supported': 'O cartão não é aceito.',
    'paymentReason.currency_not_supported': 'O cartão não aceita esta moeda.',
    'paymentReason.payment_method_unavailable': 'O cartão não pode mais ser cobrado.',
    'paymentReason.no_payment_method': 'Nenhuma forma de pagamento salva.',
    'paymentReason.other': 'Não foi possível processar o pagamento.',
  },
};
