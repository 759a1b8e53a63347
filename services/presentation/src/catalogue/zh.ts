import type { Catalogue } from './catalogue';

const greeting = '{{customer.name}}，您好：';

/** The Chinese texts, in simplified characters. */
export const zh: Catalogue = {
  mails: {
    INVOICE_ISSUED: {
      subject:
        '{{#seller.name}}{{seller.name}}：{{/seller.name}}账单 {{invoice.number}}，金额 {{invoice.amountDue}}',
      body: `# 账单 {{invoice.number}}

${greeting}

您的账单已生成，金额为 {{invoice.amountDue}}。{{#invoice.dueDate}}请最迟于 {{invoice.dueDate}} 付款。{{/invoice.dueDate}}

{{#invoice.description}}- {{invoice.description}}{{/invoice.description}}

[查看并支付账单]({{link}})`,
    },
    RECEIPT: {
      subject: '{{#seller.name}}{{seller.name}}：{{/seller.name}}账单 {{invoice.number}} 的收据',
      body: `# 感谢您的付款

${greeting}

我们已收到您对账单 {{invoice.number}} 的付款。

- 总计：{{invoice.total}}
{{#invoice.description}}- {{invoice.description}}{{/invoice.description}}
{{#invoice.paidAt}}- 付款日期：{{invoice.paidAt}}{{/invoice.paidAt}}

{{#link}}[查看账单]({{link}}){{/link}}`,
    },
    PAYMENT_FAILED: {
      subject: '您的 {{invoice.amountDue}} 付款失败',
      body: `# 您的付款失败

${greeting}

我们无法为账单 {{invoice.number}} 收取 {{invoice.amountDue}}。{{payment.reason}}

{{#payment.nextAttemptAt}}我们将于 {{payment.nextAttemptAt}} 再次尝试。{{/payment.nextAttemptAt}}您可以现在付款，也可使用其他银行卡。

[支付账单]({{link}})`,
    },
    ACTION_REQUIRED: {
      subject: '请确认您的 {{invoice.amountDue}} 付款',
      body: `# 请确认您的付款

${greeting}

您的银行要求您确认账单 {{invoice.number}} 的 {{invoice.amountDue}} 付款。

[确认付款]({{link}})`,
    },
    PAYMENT_REMINDER: {
      subject: '付款提醒：账单 {{invoice.number}} 尚未支付',
      body: `# 账单 {{invoice.number}} 尚未支付

${greeting}

我们尚未收到账单 {{invoice.number}} 的 {{invoice.amountDue}}{{#invoice.dueDate}}，该账单已于 {{invoice.dueDate}} 到期{{/invoice.dueDate}}。

[查看并支付账单]({{link}})`,
    },
    CREDIT_NOTE_ISSUED: {
      subject: '{{#seller.name}}{{seller.name}}：{{/seller.name}}贷项通知单 {{creditNote.number}}',
      body: `# 贷项通知单 {{creditNote.number}}

${greeting}

我们已从账单 {{invoice.number}} 中冲减 {{creditNote.total}}。

{{#link}}[查看账单]({{link}}){{/link}}`,
    },
    CARD_EXPIRING: {
      subject: '您的银行卡即将过期',
      body: `# 您的银行卡即将过期

${greeting}

您的银行卡{{#card}} {{card}} {{/card}}将{{#card.expiry}}于 {{card.expiry}} 底{{/card.expiry}}过期。请在下次付款之前添加其他银行卡。

{{#link}}[更新付款方式]({{link}}){{/link}}`,
    },
    TRIAL_STARTED: {
      subject:
        '您的{{#subscription.product}} {{subscription.product}} {{/subscription.product}}试用期已开始',
      body: `# 您的试用期已开始

${greeting}

您的{{#subscription.product}} {{subscription.product}} {{/subscription.product}}试用期将持续到 {{subscription.trialEnd}}。之后将对订阅收费。

{{#link}}[管理订阅]({{link}}){{/link}}`,
    },
    TRIAL_ENDING: {
      subject:
        '您的{{#subscription.product}} {{subscription.product}} {{/subscription.product}}试用期将于 {{subscription.trialEnd}} 结束',
      body: `# 您的试用期即将结束

${greeting}

您的{{#subscription.product}} {{subscription.product}} {{/subscription.product}}试用期将于 {{subscription.trialEnd}} 结束。{{#subscription.upcomingAmount}}届时将向您收取 {{subscription.upcomingAmount}}。{{/subscription.upcomingAmount}}

{{#link}}[管理订阅]({{link}}){{/link}}`,
    },
    RENEWAL_UPCOMING: {
      subject: '您的订阅将于 {{subscription.upcomingAt}} 续订',
      body: `# 您的订阅即将续订

${greeting}

您的{{#subscription.product}} {{subscription.product}} {{/subscription.product}}订阅将于 {{subscription.upcomingAt}} 续订。届时将向您收取 {{subscription.upcomingAmount}}。

{{#link}}[管理订阅]({{link}}){{/link}}`,
    },
    CANCELLATION_SCHEDULED: {
      subject: '您的订阅将于 {{subscription.endsAt}} 结束',
      body: `# 您的订阅即将结束

${greeting}

您的{{#subscription.product}} {{subscription.product}} {{/subscription.product}}订阅已取消，在 {{subscription.endsAt}} 之前仍然有效。

{{#link}}[管理订阅]({{link}}){{/link}}`,
    },
    SUBSCRIPTION_CANCELED: {
      subject: '您的订阅已结束',
      body: `# 您的订阅已结束

${greeting}

您的{{#subscription.product}} {{subscription.product}} {{/subscription.product}}订阅已{{#subscription.endsAt}}于 {{subscription.endsAt}} {{/subscription.endsAt}}结束，不再收费。`,
    },
    PORTAL_LINK: {
      subject: '{{#seller.name}}{{seller.name}}：{{/seller.name}}您的登录链接',
      body: `# 您的登录链接

${greeting}

请使用此链接打开账单门户。链接在一小时内仅可使用一次。

[打开门户]({{link}})

如果您没有申请此链接，请忽略此邮件。`,
    },
  },
  phrases: {
    // Frame of pages.
    'page.testMode': '测试模式',
    'page.testModeNote': '不会实际扣款。',
    'footer.questions': '有疑问？',
    'footer.support': '支持',
    'footer.terms': '服务条款',
    'footer.privacy': '隐私政策',
    'footer.languages': '语言',
    'failure.didNotWork': '操作未成功',
    'failure.unreadable': '无法读取表单，请重试。',
    'failure.foreignForm': '表单来自其他网站。请重新打开页面后再试。',
    'failure.notFoundTitle': '找不到页面',
    'failure.notFound': '此页面不存在。请检查网址，或联系商家。',
    'failure.unsupportedAction': '此页面不支持该操作。',
    'failure.conflict': '该操作已无法进行。请重新打开页面。',
    'failure.tooLong': '您输入的内容过长。',
    'failure.tooManyTitle': '请求过多',
    'failure.tooMany': '请稍候再试。',
    'failure.unavailableTitle': '暂时不可用',
    'failure.unavailable': '请稍后再试。如果您正在付款，请先查看页面：付款可能已经成功。',
    'failure.faultTitle': '出现错误',
    'failure.fault': '错误出在我们这边。如果您正在付款，请先查看页面：付款可能已经成功。',
    'failure.back': '返回页面',

    // Forms.
    labeled: '{label}：{text}',
    sentences: '{first}{second}',
    'form.optional': '（选填）',
    'form.fixFields': '请更正以下字段',
    'form.form': '表单',
    'form.continue': '继续',
    'form.confirm': '确认',
    'form.save': '保存',
    'form.cancelBack': '取消并返回',
    'field.name': '姓名',
    'field.email': '电子邮箱',
    'field.phone': '电话',
    'field.language': '语言',
    'field.languageAutomatic': '与浏览器相同',
    'field.quantity': '数量',
    'field.product': '产品',
    'field.plan': '方案',
    'field.country': '国家/地区',
    'field.company': '姓名或公司名称',
    'field.taxId': '增值税号或税号',
    'field.taxIdHint': '企业填写，以国家代码开头，例如 DE136695976。',
    'field.emailOrderHint': '用于发送您的账单和订单通知。',
    'field.emailPortalHint': '用于发送您的账单和订阅通知。',
    'field.quantityRange': '{min} 至 {max}',
    'field.quantityPlanHint': '适用于按数量计价的方案。',
    'address.address': '地址',
    'address.line1': '街道和门牌号',
    'address.line2': '楼层、房间号',
    'address.postalCode': '邮政编码',
    'address.city': '城市',
    'address.state': '省/州或地区',
    'problem.discountCode': '此折扣码无效。',
    'problem.required': '必填',
    'problem.email': '电子邮箱无效',
    'problem.country': '国家/地区无效',
    'problem.taxId': '增值税号或税号无效',
    'problem.tooLong': '最多 {max} 个字符',
    'problem.controlCharacters': '不得包含控制字符',
    'problem.expiryFormat': '格式须为 MM/YY',
    'problem.cardExpired': '银行卡已过期',
    'problem.codeDigits': '须为 3 位或 4 位数字',
    'problem.testCardsOnly': '此处仅接受测试卡',
    'problem.wholeNumber': '须为 {min, number} 至 {max, number} 之间的整数',
    'problem.totalTooLarge': '总额超过上限',
    'problem.choosePlan': '请选择方案',
    'problem.planGone': '该方案已不再提供',
    'problem.locale': '不支持的语言',
    'problem.other': '请检查此字段',

    // Cards and payments.
    'card.number': '卡号',
    'card.expiry': '有效期',
    'card.expiryHint': 'MM/YY',
    'card.code': '安全码',
    'card.codeHint': '3 位或 4 位数字',
    'card.holder': '持卡人姓名',
    'card.totalChanged': '总额已更改。',
    'card.nothingCharged': '未扣款。',
    'card.unavailable': '目前无法使用银行卡付款。请联系商家。',
    'card.atProvider': '您将在支付服务商的页面上输入银行卡信息，然后返回此处。',
    'card.toProvider': '继续填写银行卡信息',
    'card.providerTitle': '银行卡信息',
    'card.providerText':
      '您将在支付服务商的页面上输入银行卡信息。如果页面没有自动打开，请点击下方按钮。',
    'card.ready': '您的银行卡已就绪',
    'card.useAnother': '使用其他银行卡',
    'card.testCards': '测试卡',
    'card.testCardsHint': '有效期可为任意将来的日期，安全码可为任意数字。其他卡号会被拒绝。',
    'card.testNumber': '卡号',
    'card.testEffect': '结果',
    'testCard.succeeds': '成功',
    'testCard.succeedsMastercard': '成功（Mastercard）',
    'testCard.challenge': '要求一次 3-D Secure 验证',
    'testCard.challengeDeclined': '要求 3-D Secure 验证，随后被拒绝',
    'testCard.declined': '被拒绝',
    'testCard.insufficientFunds': '余额不足',
    'testCard.processingError': '因处理错误而失败',
    'testCard.expired': '已过期',
    'testCard.lost': '已挂失',
    'testCard.stolen': '被盗',
    'testCard.laterFails': '可保存，但之后的扣款均会失败',
    'testCard.renewalFails': '前两次续订失败，之后成功',
    'testCard.belowMinimum': '无法扣取低于 50 个最小单位的金额',
    'testCard.refunded': '一天后退款',
    'testCard.notRefundable': '无法退款',
    'testCard.disputeLost': '一天后发生争议，且争议败诉',
    'testCard.disputeWon': '一天后发生争议，且争议胜诉',
    'card.endingIn': '{brand}（尾号 {last4}）',
    'card.expires': '有效期至 {date}。',
    'card.expired': '已于 {date} 过期。',
    'payment.pay': '支付 {amount}',
    'payment.payByCard': '银行卡付款',
    'payment.lastFailed': '上次付款失败',
    'payment.failed': '付款失败',
    'payment.processing': '正在处理您的付款',
    'payment.processingText': '请稍候，页面会自动刷新。',
    'payment.refresh': '刷新',
    'challenge.paymentTitle': '确认您的付款',
    'challenge.cardTitle': '确认您的银行卡',
    'challenge.payment': '您的银行要求您确认 {amount} 的付款（3-D Secure）。',
    'challenge.card': '您的银行要求您确认以后的付款可从此卡扣除（3-D Secure）。',
    'challenge.testMode': '测试模式：请选择结果。',
    'challenge.toBank': '前往您的银行',
    'challenge.approve': '批准',
    'challenge.decline': '拒绝',
    'challenge.bankTitle': '在您的银行确认',
    'challenge.bankText': '您的银行要求您确认此付款。如果页面没有自动打开，请点击下方按钮。',
    'payerMessage.card_declined': '您的银行卡被拒绝。',
    'payerMessage.insufficient_funds': '您的银行卡余额不足。',
    'payerMessage.processing_error': '无法处理您的银行卡，请重试。',
    'payerMessage.authentication_required': '您的银行未确认此付款，请重试。',
    'payerMessage.expired_card': '您的银行卡已过期。',
    'payerMessage.card_not_supported': '不支持您的银行卡，请使用其他银行卡。',
    'payerMessage.currency_not_supported': '您的银行卡不支持此币种，请使用其他银行卡。',
    'payerMessage.payment_method_unavailable': '无法再从您的银行卡扣款，请使用其他银行卡。',
    'payerMessage.amount_not_supported': '此金额无法用银行卡支付。',
    'payerMessage.no_payment_method': '尚未保存付款方式。',
    'payerMessage.no_payment_provider': '目前无法付款。',
    'payerMessage.other': '您的付款失败，请重试。',

    // Invoices and credit notes.
    'invoice.invoice': '账单',
    'invoice.title': '账单 {number}',
    'invoice.number': '编号',
    'invoice.date': '日期',
    'invoice.due': '到期日',
    'invoice.period': '账期',
    'invoice.purchaseOrder': '采购订单号',
    'invoice.order': '采购订单号',
    'invoice.from': '开具方',
    'invoice.billedTo': '账单接收方',
    'invoice.downloadPdf': '下载 PDF',
    'invoice.bankTransfer': '银行转账',
    'invoice.open': '待支付',
    'invoice.paid': '已支付',
    'invoice.void': '已作废',
    'invoice.uncollectible': '坏账',
    'invoice.draft': '草稿',
    'invoice.paidText': '谢谢。此账单已支付。',
    'invoice.paidOn': '谢谢。此账单已支付。收款日期：{date}。',
    'invoice.settledOn': '谢谢。此账单已支付。结清日期：{date}。',
    'invoice.voidText': '此账单已作废，您无需付款。',
    'invoice.uncollectibleText': '此账单已无法在此支付。请联系商家。',
    'invoice.description': '说明',
    'invoice.quantity': '数量',
    'invoice.unitPrice': '单价',
    'invoice.amount': '金额',
    'invoice.each': '单价 {rate}',
    'invoice.showCalculation': '显示计算方式',
    'invoice.subtotal': '小计',
    'invoice.total': '总计',
    'invoice.amountDue': '应付金额',
    'invoice.dueToday': '今日应付',
    'invoice.discount': '折扣：{name}',
    'invoice.tax': '税费',
    'invoice.taxOn': '{name} {percent}%（计税金额 {amount}）',
    'invoice.includes': '含 {tax}',
    'invoice.legalTaxOn': '{text}，0%（计税金额 {amount}）',
    'invoice.balanceApplied': '余额抵扣',
    'invoice.amountPaid': '已付金额',
    'invoice.credited': '已冲减',
    'invoice.notPaid': '未付金额',
    'invoice.registrationNumber': '注册号：{number}',
    'invoice.reference': '参考号：{reference}',
    'invoice.taxIdLine': '税号：{id}',
    'invoice.taxIdLabel': '税号',
    'invoice.accountHolder': '账户名：{holder}',
    'invoice.iban': 'IBAN：{iban}',
    'invoice.bic': 'BIC：{bic}',
    'invoice.paymentReference': '付款附言：{number}',
    'line.trial': '{product}（试用 {days, plural, other {# 天}}）',
    'line.unusedTime': '{product} 的未使用时间',
    'line.remainingTime': '{product} 的剩余时间',
    'creditNote.creditNotes': '贷项通知单',
    'creditNote.creditNote': '贷项通知单',
    'creditNote.title': '贷项通知单 {number}',
    'creditNote.notNumbered': '尚未编号',
    'creditNote.invoiceOf': '{number}（{date}）',
    'creditNote.creditedTo': '接收方',
    'creditNote.net': '不含税金额',
    'creditNote.totalCredited': '冲减总额',
    'creditNote.reduced': '从应付金额中冲减',
    'creditNote.toBalance': '转入您的余额',
    'creditNote.refunded': '退款至您的银行卡',
    'creditNote.external': '以其他方式退还',
    'creditNote.unsettled': '退款失败，请联系商家',
    'pdf.testMark': 'TEST：测试环境的文件，并非付款要求',
    'pdf.payInvoice': '支付此账单',
    'pdf.page': '第 {page} 页，共 {pages} 页',
    'pdf.paid': '已支付 {amount}。',
    'pdf.paidOn': '{date} 已支付 {amount}。',
    'pdf.creditNote': '贷项通知单 {number}：{amount}',
    'pdf.creditNoteOn': '贷项通知单 {number}（{date}）：{amount}',

    // Purchases.
    'session.payFor': '支付 {product}',
    'session.yourCountry': '您所在的国家/地区',
    'session.countryText': '税费取决于您的所在地。',
    'session.confirmOrder': '确认您的订单',
    'session.addCode': '添加折扣码',
    'session.discountCode': '折扣码',
    'session.applyCode': '使用',
    'session.codeApplied': '已使用折扣“{discount}”。',
    'session.removeCode': '移除',
    'session.paymentRunning': '付款正在进行。',
    'session.addTaxId': '添加增值税号或税号',
    'session.updateTotal': '更新总额',
    'session.discountTitle': '折扣不可用',
    'session.discountGone': '此优惠的折扣目前不可用，您将支付全价。',
    'session.nothingDue': '无需付款，也无需银行卡。',
    'session.nothingDueToday': '今天无需付款。',
    'session.cardForLater': '今天不会扣款。您的银行卡将保存用于以后的付款。',
    'session.withoutCard': '如果没有银行卡，以后的付款将失败，直到您添加为止。',
    'session.startTrial': '开始免费试用',
    'session.confirmed': '已确认',
    'session.thankYou': '谢谢',
    'session.paymentReceived': '我们已收到您的付款。',
    'session.orderConfirmed': '您的订单已确认，未扣款。',
    'session.downloadInvoice': '下载账单 {number}（PDF）',
    'session.expired': '此结账页面已过期',
    'session.expiredTitle': '结账已过期',
    'session.expiredText': '未向您扣款。如需继续，请返回商家网站重新结账。',
    'session.dueToday': '今日应付',
    'session.estimatedToday': '今日应付（预估）',
    'session.quantity': '数量：{quantity}',
    'session.quantityAt': '数量：{quantity} × {rate}',
    'link.toPayment': '继续付款',
    'link.updatePrices': '更新价格',
    'link.discountNext': '折扣将在下一页应用。',
    'link.discountSome': '{products} 的折扣将在下一页应用，其余产品按全价支付。',
    'link.ended': '此优惠已结束',
    'link.endedText': '此链接已失效。请联系商家。',
    'link.yourOrder': '您的订单',
    'link.chooseProduct': '选择产品',
    'link.quantityFor': '数量 {quantity}：{terms}',

    // Terms in words.
    'every.day': '{count, plural, other {每 # 天}}',
    'every.week': '{count, plural, other {每 # 周}}',
    'every.month': '{count, plural, other {每 # 个月}}',
    'every.year': '{count, plural, other {每 # 年}}',
    'terms.plusTax': '{amount}（不含税）',
    'terms.includingTax': '{amount}（含税）',
    'terms.once': '一次性 {amount}',
    'terms.oneTime': '一次性付款，之后不再扣款。',
    'terms.recurring': '{recurrence} {amount}',
    'terms.recurringFrom': '自 {date} 起{recurrence} {amount}',
    'terms.today': '今天 {amount}',
    'terms.onDate': '{date} {amount}',
    'terms.free': '{days, plural, other {免费 # 天}}',
    'terms.then': '{first}，之后 {next}',
    'terms.laterAfterOnce': '之后 {next}',
    'terms.laterAfterRenewals': '每次续订金额相同，之后 {next}',
    'terms.plusUsage': '{terms}，另加用量费用',
    'terms.renews': '{recurrence}续订一次。',
    'terms.renewsSame': '{recurrence}以相同价格续订一次。',
    'terms.nextRenewal': '下次续订日期：{date}。可随时取消。',
    'terms.nextCharge': '下次扣款日期：{date}。可随时取消。',
    'terms.nextUsageCharge': '下次用量扣款日期：{date}。可随时取消。',
    'terms.nextChargePlusUsage': '下次扣款（另加用量费用）日期：{date}。可随时取消。',
    'terms.usageBilled': '用量费用事后结算，{recurrence}一次：',
    'terms.usageAfterTrial': '试用期后的用量费用事后结算，{recurrence}一次：',
    'terms.each': '每单位 {rate}',
    'terms.eachPlus': '每单位 {rate}，另加 {flat}',
    'terms.allUnits': '全部数量（{range}）：{rate}',
    'terms.someUnits': '数量（{range}）：{rate}',
    'terms.above': '超过 {from}',
    'terms.upTo': '不超过 {to}',
    'terms.aboveUpTo': '超过 {from}，不超过 {to}',
    'terms.anyNumber': '任意数量',
    'usage.usage': '用量',
    'usage.named': '{name}：{terms}',
    'usage.included': '{recurrence}包含 {quantity}，之后 {terms}',
    'usage.package': '每 {size} 收取 {rate}，不足部分按整份计',
    'usage.range': '每单位 {least} 至 {most}，视用量而定',
    'usage.plusFlat': '{terms}，每级最多另加 {flat}',
    'usage.atLeast': '{terms}，{recurrence}最低 {least}',
    'usage.atMost': '{terms}，{recurrence}最高 {most}',
    'usage.atLeastAtMost': '{terms}，{recurrence}最低 {least}，最高 {most}',

    // Portal.
    'portal.billing': '账单管理',
    'portal.pageTitle': '{title} · 账单管理',
    'portal.skip': '跳至内容',
    'portal.backTo': '返回 {host}',
    'portal.signOut': '退出登录',
    'portal.overview': '概览',
    'portal.usage': '用量',
    'portal.invoices': '账单',
    'portal.paymentMethods': '付款方式',
    'portal.contactDetails': '联系信息',
    'portal.shortPayment': '付款',
    'portal.shortContact': '联系',
    'done.card-added': '已添加银行卡。',
    'done.card-removed': '已移除银行卡。',
    'done.canceled': '您的订阅将在当前周期结束时终止。',
    'done.ended': '您的订阅已取消，不会向您收费。',
    'done.kept': '您的订阅将照常续订。',
    'done.default-changed': '此卡现为您的默认银行卡。',
    'done.details-saved': '您的信息已保存。',
    'done.plan-changed': '您的方案已更改。',
    'done.plan-scheduled': '您的方案将在当前周期结束时更改。',
    'done.plan-paying': '正在处理您的付款，付款完成后方案即会更改。',
    'done.plan-kept': '您将保留当前方案。',
    'signIn.askTitle': '登录账单门户',
    'signIn.askText': '我们会向您发送打开门户的链接。',
    'signIn.send': '发送链接',
    'signIn.sentTitle': '请查看您的邮箱',
    'signIn.sentText': '如果我们有此邮箱地址的记录，已向其发送链接。',
    'signIn.title': '您的账单门户',
    'signIn.text': '查看您的订阅、用量和账单，并管理您的付款方式。',
    'signIn.open': '打开门户',
    'signIn.once': '此链接只能使用一次，请勿分享。',
    'signIn.used': '此链接已使用过',
    'signIn.expired': '此链接已过期',
    'signIn.newLink': '门户链接只能使用一次，且一小时后过期。请在获取此链接的地方申请新链接。',
    'signIn.usedHere': '如果您是在此浏览器中打开的，{link}。',
    'signIn.continue': '请继续前往门户',
    'signIn.signedOut': '您已退出登录',
    'signIn.signedOutText': '再次打开门户需要新的链接。',
    'signIn.back': '返回',
    'signIn.sessionExpired': '您的会话已过期',
    'signIn.sessionExpiredText': '门户会话的有效期为一小时。请在获取上一个链接的地方申请新链接。',
    'overview.noSubscriptions': '没有订阅',
    'overview.noSubscriptionsText': '您没有有效的订阅。查看您的{invoices}。',
    'overview.invoicesLink': '账单',
    'overview.overdue': '有一笔付款已逾期',
    'overview.openInvoices': '待支付的账单',
    'overview.overdueText': '请付款或添加其他银行卡，以保留您的订阅。',
    'overview.balance': '余额',
    'overview.balanceText': '您的余额为 {amounts}，将优先用于抵扣后续账单。',
    'overview.fixPayment': '补缴付款',
    'overview.pay': '支付',
    'overview.ofInvoice': '账单 {number}',
    'overview.nextInvoice': '下一张账单',
    'overview.nextCharge': '下次扣款',
    'overview.amountOn': '{date} {amount}',
    'overview.discountOff': '{name}：减 {amount}',
    'overview.usageSoFar': '目前用量',
    'overview.about': '约 {amount}',
    'overview.estimate': '预估金额。',
    'overview.estimateBefore': '折扣前的预估金额。',
    'overview.billedAtEnd': '订阅结束时结算。',
    'overview.addedToNext': '将计入下一张账单。',
    'overview.seeUsage': '查看用量',
    'overview.chargedTo': '从 {card} 扣款。',
    'overview.changePaying': '正在支付更改为 {plan} 的费用。',
    'overview.changeAt': '将于 {date} 更改为 {plan}。',
    'overview.keepPlan': '保留当前方案',
    'overview.pausesOn': '将于 {date} 暂停。',
    'overview.pausedSince': '自 {since} 起已暂停。',
    'overview.pausedUntil': '自 {since} 起已暂停，将于 {date} 恢复。',
    'overview.changePlan': '更改方案',
    'overview.cancelSubscription': '取消订阅',
    'overview.endsOn': '您的订阅将于 {date} 结束，不再续订。',
    'overview.keepSubscription': '保留订阅',
    'overview.paymentMethod': '付款方式',
    'overview.invoicesSent': '账单会发送给您，请最迟于到期日支付每张账单。',
    'overview.noCard': '尚未保存银行卡。请添加银行卡以支付订阅费用。',
    'overview.cardCharged': '从 {card} 扣款。',
    'overview.cardChargedExcept': '从 {card} 扣款，显示其他银行卡的订阅除外。',
    'overview.managePaymentMethods': '管理付款方式',
    'overview.billingDetails': '账单信息',
    'overview.editDetails': '编辑联系信息',
    'overview.ended': '已结束',
    'overview.endedOn': '结束日期：{date}',
    'status.pastDue': '已逾期',
    'status.ending': '即将结束',
    'status.trial': '试用中',
    'status.scheduled': '待生效',
    'status.paused': '已暂停',
    'status.active': '有效',
    'usagePage.tooMuch': '超过账单金额上限',
    'usagePage.none': '您的方案没有按用量计费的项目。',
    'usagePage.units': '单位',
    'usagePage.amount': '{quantity} {units}',
    'usagePage.included': '已使用 {quantity}，共包含 {included} {units}',
    'usagePage.credits': '预付额度：{granted} {units} 中剩余 {remaining}',
    'usagePage.additional': '额外用量：{quantity} {units}',
    'usagePage.additionalCost': '额外用量：{quantity} {units}，{cost}',
    'usagePage.cost': '费用：{cost}',
    'usagePage.aboutSoFar': '目前约 {amount}',
    'invoices.none': '尚无账单。',
    'invoices.status': '状态',
    'invoices.pdfOf': '（{number}）',
    'invoices.theInvoice': '账单',
    'invoices.pages': '账单分页',
    'invoices.newer': '较新',
    'invoices.older': '较早',
    'invoices.page': '第 {page} 页，共 {pages} 页',
    'invoices.purchaseOpen': '此账单属于尚未完成的购买。',
    'invoices.continuePurchase': '继续购买',
    'invoices.payWithThisCard': '用此卡支付 {amount}',
    'invoices.payThis': '支付此账单',
    'invoices.payWithAnother': '用其他银行卡支付',
    'invoices.savedCards': '已保存的银行卡',
    'methods.none': '尚未保存银行卡。',
    'methods.add': '添加银行卡',
    'methods.save': '保存银行卡',
    'methods.default': '默认',
    'methods.savedOn': '保存日期：{date}。',
    'methods.defaultFirst': '如需移除此卡，请先将其他银行卡设为默认。',
    'methods.makeDefault': '设为默认',
    'methods.remove': '移除',
    'methods.useAsDefault': '用作默认银行卡',
    'methods.openCharged': '待支付的账单将立即从此卡扣款。',
    'methods.isDefault': '请先将其他银行卡设为默认。',
    'methods.inUse': '此卡用于支付尚未结束的订阅。请先添加其他银行卡。',
    'methods.tooMany': '已达到可保存银行卡的上限。请先移除一张。',
    'cancel.title': '取消 {product}？',
    'cancel.pageTitle': '取消 {product}',
    'cancel.scheduled':
      '您的订阅尚未开始。如果现在取消，订阅将不会于 {date} 开始，也不会向您收费。此操作无法撤销。',
    'cancel.running': '您可以使用至 {date}。您的订阅不会续订，在此之前可以撤销取消。',
    'cancel.usage': '超出包含额度的用量仍会计费。',
    'cancel.now': '立即取消',
    'cancel.atEnd': '在周期结束时取消',
    'plan.change': '更改您的方案',
    'plan.notPossible': '无法进行此更改',
    'plan.current': '当前方案：{plan}',
    'plan.named': '{name}，{terms}',
    'plan.noOther': '此订阅没有其他可用方案。',
    'plan.exactPrice': '更改之前，您会看到准确的价格。',
    'plan.review': '查看更改',
    'plan.backToOverview': '返回概览',
    'plan.yours': '{name}（您的方案）',
    'plan.inTiers': '{quantity} 个单位，按阶梯计价',
    'plan.times': '{quantity} × {terms}',
    'plan.nothingToChange': '您已在使用此方案。',
    'plan.changePaying': '另一项更改正在付款。请稍后再试。',
    'plan.setToCancel': '您的订阅即将结束。更改之前，请先撤销取消。',
    'plan.tooManyChanges': '此订阅在本周期内更改次数过多。',
    'plan.refused': '请选择其他方案，或联系商家。',
    'review.title': '核对您的更改',
    'review.now': '当前',
    'review.then': '更改后',
    'review.starts': '生效日期',
    'review.stale': '价格在您查看后已更改。',
    'review.again': '请重新核对。',
    'review.notChanged': '您的方案未更改。',
    'review.today': '今天',
    'review.untilThen': '在此之前您将保留当前方案，并可撤销此更改。',
    'review.noCard': '尚未保存银行卡。请先{addCard}。',
    'review.addCard': '添加银行卡',
    'review.chargedTo': '从 {card} 扣款',
    'review.getInvoice': '您将收到账单。',
    'review.takenOff': '从待支付的账单中冲减',
    'review.usageSoFar': '包含目前的用量费用。',
    'review.usageUntilToday': '截至今日的用量费用',
    'review.ownInvoice': '将另开账单。',
    'review.payAndChange': '支付 {amount} 并更改方案',
    'review.confirm': '确认更改',
    'review.another': '选择其他方案',

    // Mails.
    testMail: 'TEST：此邮件来自测试环境，不涉及真实资金。',
    contact: '有疑问？请发送邮件至 {email}。',
    automaticMail:
      '{hasSeller, select, true {此邮件由 {seller} 自动发送。} other {此邮件为自动发送。}}',
    'paymentReason.card_declined': '银行卡被拒绝。',
    'paymentReason.insufficient_funds': '银行卡余额不足。',
    'paymentReason.expired_card': '银行卡已过期。',
    'paymentReason.card_not_supported': '不支持该银行卡。',
    'paymentReason.currency_not_supported': '该银行卡不支持此币种。',
    'paymentReason.payment_method_unavailable': '无法再从该银行卡扣款。',
    'paymentReason.no_payment_method': '尚未保存付款方式。',
    'paymentReason.other': '无法处理此付款。',
  },
};
