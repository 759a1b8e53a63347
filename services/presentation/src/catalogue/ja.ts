import type { Catalogue } from './catalogue';

const greeting = '{{customer.name}} 様';

/** The Japanese texts. */
export const ja: Catalogue = {
  mails: {
    INVOICE_ISSUED: {
      subject:
        '{{#seller.name}}{{seller.name}}：{{/seller.name}}請求書 {{invoice.number}}（{{invoice.amountDue}}）',
      body: `# 請求書 {{invoice.number}}

${greeting}

{{invoice.amountDue}} の請求書をお送りします。{{#invoice.dueDate}}お支払い期限は {{invoice.dueDate}} です。{{/invoice.dueDate}}

{{#invoice.description}}- {{invoice.description}}{{/invoice.description}}

[請求書を確認して支払う]({{link}})`,
    },
    RECEIPT: {
      subject:
        '{{#seller.name}}{{seller.name}}：{{/seller.name}}請求書 {{invoice.number}} の領収書',
      body: `# お支払いありがとうございます

${greeting}

請求書 {{invoice.number}} のお支払いを確認しました。

- 合計：{{invoice.total}}
{{#invoice.description}}- {{invoice.description}}{{/invoice.description}}
{{#invoice.paidAt}}- お支払い日：{{invoice.paidAt}}{{/invoice.paidAt}}

{{#link}}[請求書を確認する]({{link}}){{/link}}`,
    },
    PAYMENT_FAILED: {
      subject: '{{invoice.amountDue}} のお支払いができませんでした',
      body: `# お支払いができませんでした

${greeting}

請求書 {{invoice.number}} の {{invoice.amountDue}} を請求できませんでした。{{payment.reason}}

{{#payment.nextAttemptAt}}{{payment.nextAttemptAt}} に再度請求します。{{/payment.nextAttemptAt}}別のカードでも、今すぐお支払いいただけます。

[請求書を支払う]({{link}})`,
    },
    ACTION_REQUIRED: {
      subject: '{{invoice.amountDue}} のお支払いを承認してください',
      body: `# お支払いを承認してください

${greeting}

請求書 {{invoice.number}} の {{invoice.amountDue}} のお支払いについて、カード発行会社が承認を求めています。

[お支払いを承認する]({{link}})`,
    },
    PAYMENT_REMINDER: {
      subject: 'お支払いのお願い：請求書 {{invoice.number}} が未払いです',
      body: `# 請求書 {{invoice.number}} が未払いです

${greeting}

請求書 {{invoice.number}} の {{invoice.amountDue}}{{#invoice.dueDate}}（お支払い期限 {{invoice.dueDate}}）{{/invoice.dueDate}}のお支払いを確認できておりません。

[請求書を確認して支払う]({{link}})`,
    },
    CREDIT_NOTE_ISSUED: {
      subject:
        '{{#seller.name}}{{seller.name}}：{{/seller.name}}クレジットノート {{creditNote.number}}',
      body: `# クレジットノート {{creditNote.number}}

${greeting}

請求書 {{invoice.number}} から {{creditNote.total}} を減額しました。

{{#link}}[請求書を確認する]({{link}}){{/link}}`,
    },
    CARD_EXPIRING: {
      subject: 'カードの有効期限が近づいています',
      body: `# カードの有効期限が近づいています

${greeting}

カード{{#card}} {{card}}{{/card}} の有効期限{{#card.expiry}}（{{card.expiry}} 末）{{/card.expiry}}が近づいています。次回のお支払いまでに別のカードを追加してください。

{{#link}}[お支払い方法を更新する]({{link}}){{/link}}`,
    },
    TRIAL_STARTED: {
      subject:
        '{{#subscription.product}}{{subscription.product}} の{{/subscription.product}}無料トライアルが始まりました',
      body: `# 無料トライアルが始まりました

${greeting}

{{#subscription.product}}{{subscription.product}} の{{/subscription.product}}無料トライアルは {{subscription.trialEnd}} までです。その後、サブスクリプションの料金が発生します。

{{#link}}[サブスクリプションを管理する]({{link}}){{/link}}`,
    },
    TRIAL_ENDING: {
      subject:
        '{{#subscription.product}}{{subscription.product}} の{{/subscription.product}}無料トライアルは {{subscription.trialEnd}} に終了します',
      body: `# 無料トライアルがまもなく終了します

${greeting}

{{#subscription.product}}{{subscription.product}} の{{/subscription.product}}無料トライアルは {{subscription.trialEnd}} に終了します。{{#subscription.upcomingAmount}}終了後に {{subscription.upcomingAmount}} を請求します。{{/subscription.upcomingAmount}}

{{#link}}[サブスクリプションを管理する]({{link}}){{/link}}`,
    },
    RENEWAL_UPCOMING: {
      subject: 'サブスクリプションは {{subscription.upcomingAt}} に更新されます',
      body: `# サブスクリプションがまもなく更新されます

${greeting}

{{#subscription.product}}{{subscription.product}} の{{/subscription.product}}サブスクリプションは {{subscription.upcomingAt}} に更新されます。その際に {{subscription.upcomingAmount}} を請求します。

{{#link}}[サブスクリプションを管理する]({{link}}){{/link}}`,
    },
    CANCELLATION_SCHEDULED: {
      subject: 'サブスクリプションは {{subscription.endsAt}} に終了します',
      body: `# サブスクリプションは終了する予定です

${greeting}

{{#subscription.product}}{{subscription.product}} の{{/subscription.product}}サブスクリプションは解約されました。{{subscription.endsAt}} まではご利用いただけます。

{{#link}}[サブスクリプションを管理する]({{link}}){{/link}}`,
    },
    SUBSCRIPTION_CANCELED: {
      subject: 'サブスクリプションが終了しました',
      body: `# サブスクリプションが終了しました

${greeting}

{{#subscription.product}}{{subscription.product}} の{{/subscription.product}}サブスクリプションは{{#subscription.endsAt}} {{subscription.endsAt}} に{{/subscription.endsAt}}終了しました。今後、料金は発生しません。`,
    },
    PORTAL_LINK: {
      subject: '{{#seller.name}}{{seller.name}}：{{/seller.name}}ログインリンク',
      body: `# ログインリンク

${greeting}

このリンクからお支払い管理ポータルを開いてください。リンクは 1 時間以内に一度だけ使えます。

[ポータルを開く]({{link}})

このリンクに心当たりがない場合は、このメールを無視してください。`,
    },
  },
  phrases: {
    // Frame of pages.
    'page.testMode': 'テストモード',
    'page.testModeNote': '実際の請求は行われません。',
    'footer.questions': 'ご質問は',
    'footer.support': 'サポート',
    'footer.terms': '利用規約',
    'footer.privacy': 'プライバシー',
    'footer.languages': '言語',
    'failure.didNotWork': '処理できませんでした',
    'failure.unreadable': 'フォームを読み取れませんでした。もう一度お試しください。',
    'failure.foreignForm':
      'フォームが別のサイトから送信されました。ページを開き直して、もう一度お試しください。',
    'failure.notFoundTitle': 'ページが見つかりません',
    'failure.notFound':
      'このページは存在しません。アドレスを確認するか、販売者にお問い合わせください。',
    'failure.unsupportedAction': 'このページではその操作はできません。',
    'failure.conflict': 'この操作はできなくなりました。ページを開き直してください。',
    'failure.tooLong': '入力内容が長すぎます。',
    'failure.tooManyTitle': 'リクエストが多すぎます',
    'failure.tooMany': 'しばらく待ってから、もう一度お試しください。',
    'failure.unavailableTitle': '一時的に利用できません',
    'failure.unavailable':
      'しばらくしてから、もう一度お試しください。お支払い中だった場合は、すでに完了している可能性があるため、まずページをご確認ください。',
    'failure.faultTitle': 'エラーが発生しました',
    'failure.fault':
      'システム側のエラーです。お支払い中だった場合は、すでに完了している可能性があるため、まずページをご確認ください。',
    'failure.back': 'ページに戻る',

    // Forms.
    labeled: '{label}：{text}',
    sentences: '{first}{second}',
    'form.optional': '（任意）',
    'form.fixFields': '以下の項目を修正してください',
    'form.form': 'フォーム',
    'form.continue': '続ける',
    'form.confirm': '確定する',
    'form.save': '保存',
    'form.cancelBack': 'キャンセルして戻る',
    'field.name': 'お名前',
    'field.email': 'メールアドレス',
    'field.phone': '電話番号',
    'field.language': '言語',
    'field.languageAutomatic': 'ブラウザの設定に従う',
    'field.quantity': '数量',
    'field.product': '商品',
    'field.plan': 'プラン',
    'field.country': '国',
    'field.company': 'お名前または会社名',
    'field.taxId': 'VAT 番号または納税者番号',
    'field.taxIdHint': '事業者の方は、DE136695976 のように国コードから入力してください。',
    'field.emailOrderHint': '請求書とご注文に関するお知らせをお送りします。',
    'field.emailPortalHint': '請求書とサブスクリプションに関するお知らせをお送りします。',
    'field.quantityRange': '{min}～{max}',
    'field.quantityPlanHint': '数量に応じて料金が決まるプランで使用します。',
    'address.address': '住所',
    'address.line1': '町名・番地',
    'address.line2': '建物名・部屋番号',
    'address.postalCode': '郵便番号',
    'address.city': '市区町村',
    'address.state': '都道府県・地域',
    'problem.discountCode': 'このコードは無効です。',
    'problem.required': '必須項目です',
    'problem.email': 'メールアドレスが正しくありません',
    'problem.country': '国が正しくありません',
    'problem.taxId': 'VAT 番号または納税者番号が正しくありません',
    'problem.tooLong': '{max} 文字以内で入力してください',
    'problem.controlCharacters': '制御文字は使用できません',
    'problem.expiryFormat': 'MM/YY の形式で入力してください',
    'problem.cardExpired': 'カードの有効期限が切れています',
    'problem.codeDigits': '3 桁または 4 桁の数字を入力してください',
    'problem.testCardsOnly': 'ここではテストカードのみ使用できます',
    'problem.wholeNumber': '{min, number} から {max, number} までの整数を入力してください',
    'problem.totalTooLarge': '合計が上限額を超えています',
    'problem.choosePlan': 'プランを選択してください',
    'problem.planGone': 'このプランは提供を終了しました',
    'problem.locale': '対応していない言語です',
    'problem.other': 'この項目を確認してください',

    // Cards and payments.
    'card.number': 'カード番号',
    'card.expiry': '有効期限',
    'card.expiryHint': 'MM/YY',
    'card.code': 'セキュリティコード',
    'card.codeHint': '3 桁または 4 桁',
    'card.holder': 'カード名義',
    'card.totalChanged': '合計金額が変更されました。',
    'card.nothingCharged': '請求は行われていません。',
    'card.unavailable': '現在、カード払いをご利用いただけません。販売者にお問い合わせください。',
    'card.atProvider': '決済代行会社のページでカード情報を入力した後、このページに戻ります。',
    'card.toProvider': 'カード情報の入力に進む',
    'card.providerTitle': 'カード情報',
    'card.providerText':
      '決済代行会社のページでカード情報を入力します。ページが自動的に開かない場合は、下のボタンを押してください。',
    'card.ready': 'カードの準備ができました',
    'card.useAnother': '別のカードを使う',
    'card.testCards': 'テストカード',
    'card.testCardsHint':
      '有効期限は将来の日付、セキュリティコードは任意の数字を使用できます。その他のカード番号は拒否されます。',
    'card.testNumber': '番号',
    'card.testEffect': '結果',
    'testCard.succeeds': '成功する',
    'testCard.succeedsMastercard': '成功する（Mastercard）',
    'testCard.challenge': '3-D セキュアを一度要求する',
    'testCard.challengeDeclined': '3-D セキュアを要求した後、拒否される',
    'testCard.declined': '拒否される',
    'testCard.insufficientFunds': '残高が不足している',
    'testCard.processingError': '処理エラーで失敗する',
    'testCard.expired': '有効期限が切れている',
    'testCard.lost': '紛失している',
    'testCard.stolen': '盗難に遭っている',
    'testCard.laterFails': '保存されるが、以後の請求はすべて失敗する',
    'testCard.renewalFails': '最初の 2 回の更新で失敗し、その後成功する',
    'testCard.belowMinimum': '最小単位で 50 未満の金額は請求できない',
    'testCard.refunded': '1 日後に返金される',
    'testCard.notRefundable': '返金できない',
    'testCard.disputeLost': '1 日後に不審請求が申請され、認められる',
    'testCard.disputeWon': '1 日後に不審請求が申請され、却下される',
    'card.endingIn': '{brand}（末尾 {last4}）',
    'card.expires': '有効期限は {date} です。',
    'card.expired': '有効期限（{date}）が切れています。',
    'payment.pay': '{amount} を支払う',
    'payment.payByCard': 'カードで支払う',
    'payment.lastFailed': '前回のお支払いができませんでした',
    'payment.failed': 'お支払いができませんでした',
    'payment.processing': 'お支払いを処理しています',
    'payment.processingText': 'しばらくお待ちください。ページは自動的に更新されます。',
    'payment.refresh': '更新',
    'challenge.paymentTitle': 'お支払いの承認',
    'challenge.cardTitle': 'カードの承認',
    'challenge.payment':
      '{amount} のお支払いについて、カード発行会社が承認を求めています（3-D セキュア）。',
    'challenge.card':
      '今後のお支払いをこのカードに請求することについて、カード発行会社が承認を求めています（3-D セキュア）。',
    'challenge.testMode': 'テストモード：結果を選択してください。',
    'challenge.toBank': 'カード発行会社のページに進む',
    'challenge.approve': '承認する',
    'challenge.decline': '拒否する',
    'challenge.bankTitle': 'カード発行会社での承認',
    'challenge.bankText':
      'カード発行会社がお支払いの承認を求めています。ページが自動的に開かない場合は、下のボタンを押してください。',
    'payerMessage.card_declined': 'カードが拒否されました。',
    'payerMessage.insufficient_funds': 'カードの残高が不足しています。',
    'payerMessage.processing_error': 'カードを処理できませんでした。もう一度お試しください。',
    'payerMessage.authentication_required':
      'カード発行会社がお支払いを承認しませんでした。もう一度お試しください。',
    'payerMessage.expired_card': 'カードの有効期限が切れています。',
    'payerMessage.card_not_supported':
      'このカードはご利用いただけません。別のカードをお使いください。',
    'payerMessage.currency_not_supported':
      'このカードはこの通貨に対応していません。別のカードをお使いください。',
    'payerMessage.payment_method_unavailable':
      'このカードには請求できなくなりました。別のカードをお使いください。',
    'payerMessage.amount_not_supported': 'この金額はカードでお支払いいただけません。',
    'payerMessage.no_payment_method': 'お支払い方法が保存されていません。',
    'payerMessage.no_payment_provider': '現在、お支払いをご利用いただけません。',
    'payerMessage.other': 'お支払いができませんでした。もう一度お試しください。',

    // Invoices and credit notes.
    'invoice.invoice': '請求書',
    'invoice.title': '請求書 {number}',
    'invoice.number': '番号',
    'invoice.date': '発行日',
    'invoice.due': 'お支払い期限',
    'invoice.period': '対象期間',
    'invoice.purchaseOrder': '発注番号',
    'invoice.order': '発注番号',
    'invoice.from': '発行者',
    'invoice.billedTo': '請求先',
    'invoice.downloadPdf': 'PDF をダウンロード',
    'invoice.bankTransfer': '銀行振込',
    'invoice.open': '未払い',
    'invoice.paid': '支払い済み',
    'invoice.void': '無効',
    'invoice.uncollectible': '回収不能',
    'invoice.draft': '下書き',
    'invoice.paidText': 'ありがとうございます。この請求書は支払い済みです。',
    'invoice.paidOn': 'ありがとうございます。この請求書は支払い済みです。お支払い確認日：{date}。',
    'invoice.settledOn': 'ありがとうございます。この請求書は支払い済みです。精算日：{date}。',
    'invoice.voidText': 'この請求書は無効になりました。お支払いは不要です。',
    'invoice.uncollectibleText':
      'この請求書はここではお支払いいただけなくなりました。販売者にお問い合わせください。',
    'invoice.description': '内容',
    'invoice.quantity': '数量',
    'invoice.unitPrice': '単価',
    'invoice.amount': '金額',
    'invoice.each': '単価 {rate}',
    'invoice.showCalculation': '計算を表示',
    'invoice.subtotal': '小計',
    'invoice.total': '合計',
    'invoice.amountDue': 'ご請求額',
    'invoice.dueToday': '本日のお支払い額',
    'invoice.discount': '割引：{name}',
    'invoice.tax': '税',
    'invoice.taxOn': '{name} {percent}%（対象額 {amount}）',
    'invoice.includes': '内税：{tax}',
    'invoice.legalTaxOn': '{text}、0%（対象額 {amount}）',
    'invoice.balanceApplied': '残高の充当',
    'invoice.amountPaid': '支払い済み額',
    'invoice.credited': '減額',
    'invoice.notPaid': '未払い額',
    'invoice.registrationNumber': '登録番号：{number}',
    'invoice.reference': '参照番号：{reference}',
    'invoice.taxIdLine': '納税者番号：{id}',
    'invoice.taxIdLabel': '納税者番号',
    'invoice.accountHolder': '口座名義：{holder}',
    'invoice.iban': 'IBAN：{iban}',
    'invoice.bic': 'BIC：{bic}',
    'invoice.paymentReference': '振込時の記載事項：{number}',
    'line.trial': '{product}（無料トライアル、{days, plural, other {# 日間}}）',
    'line.unusedTime': '{product} の未使用期間',
    'line.remainingTime': '{product} の残りの期間',
    'creditNote.creditNotes': 'クレジットノート',
    'creditNote.creditNote': 'クレジットノート',
    'creditNote.title': 'クレジットノート {number}',
    'creditNote.notNumbered': '番号未定',
    'creditNote.invoiceOf': '{number}（{date}）',
    'creditNote.creditedTo': '宛先',
    'creditNote.net': '税抜額',
    'creditNote.totalCredited': '減額合計',
    'creditNote.reduced': 'ご請求額からの減額',
    'creditNote.toBalance': '残高への追加',
    'creditNote.refunded': 'カードへの返金',
    'creditNote.external': '別の方法による返金',
    'creditNote.unsettled': '返金できませんでした。販売者にお問い合わせください',
    'pdf.testMark': 'TEST：テスト環境の書類です。お支払いを求めるものではありません',
    'pdf.payInvoice': '請求書を支払う',
    'pdf.page': '{page} / {pages} ページ',
    'pdf.paid': '{amount} のお支払いを確認しました。',
    'pdf.paidOn': '{date} に {amount} のお支払いを確認しました。',
    'pdf.creditNote': 'クレジットノート {number}：{amount}',
    'pdf.creditNoteOn': 'クレジットノート {number}（{date}）：{amount}',

    // Purchases.
    'session.payFor': '{product} のお支払い',
    'session.yourCountry': 'お客様の国',
    'session.countryText': '税額はお客様の所在地によって決まります。',
    'session.confirmOrder': '注文の確認',
    'session.addCode': '割引コードを追加',
    'session.discountCode': '割引コード',
    'session.applyCode': '適用',
    'session.codeApplied': '割引「{discount}」が適用されています。',
    'session.removeCode': '削除',
    'session.paymentRunning': 'お支払いを処理中です。',
    'session.addTaxId': 'VAT 番号または納税者番号を追加',
    'session.updateTotal': '合計を更新',
    'session.discountTitle': '割引をご利用いただけません',
    'session.discountGone':
      'この特典の割引は現在ご利用いただけません。通常価格でのお支払いとなります。',
    'session.nothingDue': 'お支払いは不要です。カードも必要ありません。',
    'session.nothingDueToday': '本日のお支払いはありません。',
    'session.cardForLater': '本日の請求はありません。カードは今後のお支払いのために保存されます。',
    'session.withoutCard': 'カードがない場合、追加するまで今後のお支払いができません。',
    'session.startTrial': '無料トライアルを始める',
    'session.confirmed': '確定済み',
    'session.thankYou': 'ありがとうございます',
    'session.paymentReceived': 'お支払いを確認しました。',
    'session.orderConfirmed': 'ご注文が確定しました。請求は行われていません。',
    'session.downloadInvoice': '請求書 {number} をダウンロード（PDF）',
    'session.expired': 'このお支払い手続きは期限切れです',
    'session.expiredTitle': 'お支払い手続きの期限切れ',
    'session.expiredText':
      '請求は行われていません。続けるには、販売者のサイトに戻ってもう一度手続きをしてください。',
    'session.dueToday': '本日のお支払い額',
    'session.estimatedToday': '本日のお支払い額（見積もり）',
    'session.quantity': '数量：{quantity}',
    'session.quantityAt': '数量：{quantity} × {rate}',
    'link.toPayment': 'お支払いに進む',
    'link.updatePrices': '料金を更新',
    'link.discountNext': '割引は次のページで適用されます。',
    'link.discountSome':
      '{products} の割引は次のページで適用されます。その他は通常価格となります。',
    'link.ended': 'この特典は終了しました',
    'link.endedText': 'このリンクは無効になりました。販売者にお問い合わせください。',
    'link.yourOrder': 'ご注文内容',
    'link.chooseProduct': '商品を選択',
    'link.quantityFor': '数量 {quantity}：{terms}',

    // Terms in words.
    'every.day': '{count, plural, other {# 日ごと}}',
    'every.week': '{count, plural, other {# 週間ごと}}',
    'every.month': '{count, plural, other {# か月ごと}}',
    'every.year': '{count, plural, other {# 年ごと}}',
    'terms.plusTax': '{amount}（税別）',
    'terms.includingTax': '{amount}（税込）',
    'terms.once': '{amount}（1 回限り）',
    'terms.oneTime': '1 回限りのお支払いです。今後の請求はありません。',
    'terms.recurring': '{recurrence}に {amount}',
    'terms.recurringFrom': '{date} から{recurrence}に {amount}',
    'terms.today': '本日 {amount}',
    'terms.onDate': '{date} に {amount}',
    'terms.free': '{days, plural, other {# 日間無料}}',
    'terms.then': '{first}、その後 {next}',
    'terms.laterAfterOnce': 'その後 {next}',
    'terms.laterAfterRenewals': '更新ごとに同額、その後 {next}',
    'terms.plusUsage': '{terms}、別途従量料金',
    'terms.renews': '{recurrence}に更新されます。',
    'terms.renewsSame': '{recurrence}に同じ料金で更新されます。',
    'terms.nextRenewal': '次回の更新は {date} です。いつでも解約できます。',
    'terms.nextCharge': '次回の請求は {date} です。いつでも解約できます。',
    'terms.nextUsageCharge': '次回の従量料金の請求は {date} です。いつでも解約できます。',
    'terms.nextChargePlusUsage':
      '次回の請求（従量料金を含む）は {date} です。いつでも解約できます。',
    'terms.usageBilled': '従量料金は{recurrence}に後払いで請求されます。',
    'terms.usageAfterTrial': '無料トライアル後の従量料金は{recurrence}に後払いで請求されます。',
    'terms.each': '1 単位あたり {rate}',
    'terms.eachPlus': '1 単位あたり {rate}、別途 {flat}',
    'terms.allUnits': '全数量（{range}）：{rate}',
    'terms.someUnits': '数量（{range}）：{rate}',
    'terms.above': '{from} 超',
    'terms.upTo': '{to} まで',
    'terms.aboveUpTo': '{from} 超 {to} まで',
    'terms.anyNumber': '数量に関係なく',
    'usage.usage': '利用量',
    'usage.named': '{name}：{terms}',
    'usage.included': '{recurrence}に {quantity} まで無料、その後 {terms}',
    'usage.package': '{size} ごとに {rate}（端数切り上げ）',
    'usage.range': '1 単位あたり {least}～{most}（利用量による）',
    'usage.plusFlat': '{terms}、段階ごとに最大 {flat} を加算',
    'usage.atLeast': '{terms}、{recurrence}に最低 {least}',
    'usage.atMost': '{terms}、{recurrence}に最大 {most}',
    'usage.atLeastAtMost': '{terms}、{recurrence}に最低 {least}、最大 {most}',

    // Portal.
    'portal.billing': 'お支払い管理',
    'portal.pageTitle': '{title} · お支払い管理',
    'portal.skip': '本文へ移動',
    'portal.backTo': '{host} に戻る',
    'portal.signOut': 'ログアウト',
    'portal.overview': '概要',
    'portal.usage': '利用量',
    'portal.invoices': '請求書',
    'portal.paymentMethods': 'お支払い方法',
    'portal.contactDetails': '連絡先情報',
    'portal.shortPayment': '支払い',
    'portal.shortContact': '連絡先',
    'done.card-added': 'カードを追加しました。',
    'done.card-removed': 'カードを削除しました。',
    'done.canceled': 'サブスクリプションは現在の期間の終わりに終了します。',
    'done.ended': 'サブスクリプションを解約しました。請求は行われません。',
    'done.kept': 'サブスクリプションは通常どおり更新されます。',
    'done.default-changed': 'このカードが既定のカードになりました。',
    'done.details-saved': '情報を保存しました。',
    'done.plan-changed': 'プランを変更しました。',
    'done.plan-scheduled': 'プランは現在の期間の終わりに変更されます。',
    'done.plan-paying': 'お支払いを処理しています。完了するとプランが変更されます。',
    'done.plan-kept': '現在のプランを継続します。',
    'signIn.askTitle': 'お支払い管理ポータルにログイン',
    'signIn.askText': 'ポータルを開くリンクをお送りします。',
    'signIn.send': 'リンクを送信',
    'signIn.sentTitle': 'メールをご確認ください',
    'signIn.sentText': 'このアドレスが登録されている場合は、リンクをお送りしました。',
    'signIn.title': 'お支払い管理ポータル',
    'signIn.text': 'サブスクリプション、利用量、請求書の確認と、お支払い方法の管理ができます。',
    'signIn.open': 'ポータルを開く',
    'signIn.once': 'このリンクは一度しか使えません。他の人と共有しないでください。',
    'signIn.used': 'このリンクは使用済みです',
    'signIn.expired': 'このリンクは期限切れです',
    'signIn.newLink':
      'ポータルのリンクは一度しか使えず、1 時間で期限切れになります。このリンクを入手した場所で、新しいリンクを取得してください。',
    'signIn.usedHere': 'このブラウザで開いた場合は、{link}。',
    'signIn.continue': 'ポータルに進んでください',
    'signIn.signedOut': 'ログアウトしました',
    'signIn.signedOutText': 'ポータルを再び開くには、新しいリンクが必要です。',
    'signIn.back': '戻る',
    'signIn.sessionExpired': 'セッションの期限が切れました',
    'signIn.sessionExpiredText':
      'ポータルのセッションは 1 時間です。前回のリンクを入手した場所で、新しいリンクを取得してください。',
    'overview.noSubscriptions': 'サブスクリプションはありません',
    'overview.noSubscriptionsText':
      '有効なサブスクリプションはありません。{invoices}をご確認ください。',
    'overview.invoicesLink': '請求書',
    'overview.overdue': 'お支払い期限を過ぎています',
    'overview.openInvoices': '未払いの請求書',
    'overview.overdueText':
      'サブスクリプションを継続するには、お支払いいただくか、別のカードを追加してください。',
    'overview.balance': '残高',
    'overview.balanceText': '残高は {amounts} です。次回以降の請求書に優先して充当されます。',
    'overview.fixPayment': '支払い手続き',
    'overview.pay': '支払う',
    'overview.ofInvoice': '（請求書 {number}）',
    'overview.nextInvoice': '次回の請求書',
    'overview.nextCharge': '次回の請求',
    'overview.amountOn': '{date} に {amount}',
    'overview.discountOff': '{name}：{amount} 割引',
    'overview.usageSoFar': '現在までの利用量',
    'overview.about': '約 {amount}',
    'overview.estimate': '見積もりです。',
    'overview.estimateBefore': '割引前の見積もりです。',
    'overview.billedAtEnd': 'サブスクリプションの終了時に請求されます。',
    'overview.addedToNext': '次回の請求書に加算されます。',
    'overview.seeUsage': '利用量を見る',
    'overview.chargedTo': '{card} に請求されます。',
    'overview.changePaying': '{plan} への変更のお支払いを処理しています。',
    'overview.changeAt': '{date} に {plan} に変更されます。',
    'overview.keepPlan': '現在のプランを継続',
    'overview.pausesOn': '{date} に一時停止します。',
    'overview.pausedSince': '{since} から一時停止中です。',
    'overview.pausedUntil': '{since} から一時停止中です。{date} に再開します。',
    'overview.changePlan': 'プランを変更',
    'overview.cancelSubscription': 'サブスクリプションを解約',
    'overview.endsOn': 'サブスクリプションは {date} に終了し、更新されません。',
    'overview.keepSubscription': 'サブスクリプションを継続',
    'overview.paymentMethod': 'お支払い方法',
    'overview.invoicesSent': '請求書をお送りします。各請求書を期限までにお支払いください。',
    'overview.noCard': 'カードが保存されていません。お支払いのためにカードを追加してください。',
    'overview.cardCharged': '{card} に請求されます。',
    'overview.cardChargedExcept':
      '別のカードが表示されているサブスクリプションを除き、{card} に請求されます。',
    'overview.managePaymentMethods': 'お支払い方法を管理',
    'overview.billingDetails': '請求先情報',
    'overview.editDetails': '連絡先情報を編集',
    'overview.ended': '終了したサブスクリプション',
    'overview.endedOn': '{date} に終了',
    'status.pastDue': '支払い遅延',
    'status.ending': '終了予定',
    'status.trial': 'トライアル',
    'status.scheduled': '開始予定',
    'status.paused': '一時停止中',
    'status.active': '有効',
    'usagePage.tooMuch': '請求書の上限額を超過',
    'usagePage.none': 'ご利用のプランに従量料金はありません。',
    'usagePage.units': '単位',
    'usagePage.amount': '{quantity} {units}',
    'usagePage.included': '無料枠 {included} {units} のうち {quantity} を使用',
    'usagePage.credits': '前払いクレジット：{granted} {units} のうち残り {remaining}',
    'usagePage.additional': '追加の利用量：{quantity} {units}',
    'usagePage.additionalCost': '追加の利用量：{quantity} {units}、{cost}',
    'usagePage.cost': '料金：{cost}',
    'usagePage.aboutSoFar': '現在までに約 {amount}',
    'invoices.none': '請求書はまだありません。',
    'invoices.status': '状態',
    'invoices.pdfOf': '（{number}）',
    'invoices.theInvoice': '請求書',
    'invoices.pages': '請求書のページ',
    'invoices.newer': '新しい請求書',
    'invoices.older': '古い請求書',
    'invoices.page': '{page} / {pages} ページ',
    'invoices.purchaseOpen': 'この請求書は、完了していない購入のものです。',
    'invoices.continuePurchase': '購入を続ける',
    'invoices.payWithThisCard': 'このカードで {amount} を支払う',
    'invoices.payThis': 'この請求書を支払う',
    'invoices.payWithAnother': '別のカードで支払う',
    'invoices.savedCards': '保存されたカード',
    'methods.none': 'カードが保存されていません。',
    'methods.add': 'カードを追加',
    'methods.save': 'カードを保存',
    'methods.default': '既定',
    'methods.savedOn': '{date} に保存。',
    'methods.defaultFirst': 'このカードを削除するには、先に別のカードを既定にしてください。',
    'methods.makeDefault': '既定にする',
    'methods.remove': '削除',
    'methods.useAsDefault': '既定のカードとして使う',
    'methods.openCharged': '未払いの請求書は、すぐにこのカードに請求されます。',
    'methods.isDefault': '先に別のカードを既定にしてください。',
    'methods.inUse':
      'このカードは継続中のサブスクリプションの支払いに使われています。先に別のカードを追加してください。',
    'methods.tooMany': '保存できるカードの上限に達しました。先に 1 枚削除してください。',
    'cancel.title': '{product} を解約しますか？',
    'cancel.pageTitle': '{product} の解約',
    'cancel.scheduled':
      'サブスクリプションはまだ始まっていません。今解約すると、{date} に開始されず、請求も行われません。この操作は取り消せません。',
    'cancel.running':
      '{date} まではご利用いただけます。サブスクリプションは更新されません。それまでは解約を取り消せます。',
    'cancel.usage': '無料枠を超えた利用分は請求されます。',
    'cancel.now': '今すぐ解約する',
    'cancel.atEnd': '期間の終わりに解約する',
    'plan.change': 'プランの変更',
    'plan.notPossible': 'この変更はできません',
    'plan.current': '現在のプラン：{plan}',
    'plan.named': '{name}、{terms}',
    'plan.noOther': 'このサブスクリプションで選べるプランは他にありません。',
    'plan.exactPrice': '変更前に正確な料金が表示されます。',
    'plan.review': '変更内容を確認',
    'plan.backToOverview': '概要に戻る',
    'plan.yours': '{name}（現在のプラン）',
    'plan.inTiers': '{quantity} 単位、段階制の料金',
    'plan.times': '{quantity} × {terms}',
    'plan.nothingToChange': 'すでにこのプランをご利用中です。',
    'plan.changePaying':
      '別の変更のお支払いを処理しています。しばらくしてから、もう一度お試しください。',
    'plan.setToCancel':
      'サブスクリプションは終了予定です。変更する前に、解約を取り消してください。',
    'plan.tooManyChanges': 'この期間中の変更回数が上限に達しました。',
    'plan.refused': '別のプランを選ぶか、販売者にお問い合わせください。',
    'review.title': '変更内容の確認',
    'review.now': '現在',
    'review.then': '変更後',
    'review.starts': '開始日',
    'review.stale': '表示後に料金が変更されました。',
    'review.again': 'もう一度ご確認ください。',
    'review.notChanged': 'プランは変更されていません。',
    'review.today': '本日',
    'review.untilThen': 'それまでは現在のプランが継続し、この変更を取り消せます。',
    'review.noCard': 'カードが保存されていません。先に{addCard}してください。',
    'review.addCard': 'カードを追加',
    'review.chargedTo': '{card} に請求',
    'review.getInvoice': '請求書をお送りします。',
    'review.takenOff': '未払いの請求書からの減額',
    'review.usageSoFar': '現時点までの従量料金を含みます。',
    'review.usageUntilToday': '本日までの従量料金',
    'review.ownInvoice': '別の請求書で請求されます。',
    'review.payAndChange': '{amount} を支払ってプランを変更',
    'review.confirm': '変更を確定',
    'review.another': '別のプランを選ぶ',

    // Mails.
    testMail: 'TEST：このメールはテスト環境から送信されています。実際の請求は行われません。',
    contact: 'ご質問は {email} までお寄せください。',
    automaticMail:
      '{hasSeller, select, true {このメールは {seller} から自動送信されています。} other {このメールは自動送信されています。}}',
    'paymentReason.card_declined': 'カードが拒否されました。',
    'paymentReason.insufficient_funds': 'カードの残高が不足しています。',
    'paymentReason.expired_card': 'カードの有効期限が切れています。',
    'paymentReason.card_not_supported': 'このカードはご利用いただけません。',
    'paymentReason.currency_not_supported': 'このカードはこの通貨に対応していません。',
    'paymentReason.payment_method_unavailable': 'このカードには請求できなくなりました。',
    'paymentReason.no_payment_method': 'お支払い方法が保存されていません。',
    'paymentReason.other': 'お支払いを処理できませんでした。',
  },
};
