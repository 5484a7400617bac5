//! Words for what the parser cannot read. Nothing here changes what is accepted.

use super::{Opened, Parser, Pending};
use crate::ast::Operator;
use crate::function::Function;
use crate::lexer::{Token, TokenKind};
use crate::span::Span;
use crate::syntax_error::{SyntaxError, SyntaxErrorKind, brief};

/// Functions of vectors and points, and the square root, which [`Function`] does not know.
const OTHER_FUNCTIONS: [&str; 7] = ["sqrt", "dot", "cross", "norm", "unit", "vec", "pos"];

impl Parser<'_> {
    /// The token `back` places before the one just read.
    fn earlier(&self, back: usize) -> Option<Token> {
        self.tokens.get(self.at.checked_sub(back + 1)?).copied()
    }

    /// The text at `span`, for a sentence.
    fn quote(&self, span: Span) -> String {
        brief(span.of(self.text))
    }

    /// An operand should begin, but `token` was read.
    pub(super) fn no_operand(&mut self, token: Token) -> SyntaxError {
        if let (TokenKind::End, Some(error)) = (token.kind, self.lexical.take()) {
            return error;
        }
        let Some(before) = self.earlier(1) else {
            return self.no_first_operand(token);
        };
        match (before.kind, token.kind) {
            (TokenKind::Open(_) | TokenKind::Comma, TokenKind::End) => self.unclosed_innermost(),
            (_, TokenKind::End) => {
                let after = self.quote(before.span);
                SyntaxErrorKind::Unfinished { after }.at(before.span)
            }
            (TokenKind::Open(_), TokenKind::Close(_)) => {
                SyntaxErrorKind::EmptyBracket.at(before.span.to(token.span))
            }
            (TokenKind::Relation(_), TokenKind::Relation(_)) => {
                let span = before.span.to(token.span);
                let found = self.quote(span);
                SyntaxErrorKind::UnknownRelation { found }.at(span)
            }
            _ => self.sign_without_operand(token),
        }
    }

    fn no_first_operand(&self, token: Token) -> SyntaxError {
        match token.kind {
            TokenKind::End => SyntaxErrorKind::Empty.at(Span::new(0, self.text.len())),
            TokenKind::Close(bracket) => {
                let closing = bracket.closing();
                SyntaxErrorKind::UnopenedBracket { closing }.at(token.span)
            }
            _ => self.sign_without_operand(token),
        }
    }

    fn sign_without_operand(&self, token: Token) -> SyntaxError {
        let next = self.peek();
        let kind = match token.kind {
            TokenKind::Operator(Operator::Add) => SyntaxErrorKind::LeadingPlus,
            TokenKind::Prime => SyntaxErrorKind::StrayPrime,
            TokenKind::Dot if next.kind == TokenKind::Number => {
                let digits = self.quote(next.span);
                return SyntaxErrorKind::LeadingPoint { digits }.at(token.span.to(next.span));
            }
            TokenKind::Dot => SyntaxErrorKind::StrayPoint,
            _ => {
                let found = self.quote(token.span);
                SyntaxErrorKind::MissingOperand { found }
            }
        };
        kind.at(token.span)
    }

    /// A point after an operand: `v(P).x`, or one that means nothing.
    pub(super) fn component(&self, point: Token) -> SyntaxError {
        let next = self.peek();
        let (axis, operand) = (self.quote(next.span), self.operands.last());
        match operand.filter(|_| matches!(axis.as_str(), "x" | "y" | "z")) {
            Some(operand) => {
                let vector = self.quote(operand.span);
                SyntaxErrorKind::Component { vector, axis }.at(operand.span.to(next.span))
            }
            None => self
                .method(&axis)
                .unwrap_or(SyntaxErrorKind::StrayPoint.at(point.span)),
        }
    }

    /// `v(P).dot(N.x)`: a function of the operand before the point.
    fn method(&self, name: &str) -> Option<SyntaxError> {
        let operand = self.operands.last()?;
        let vector = self.quote(operand.span);
        let kind = match name {
            "dot" | "cross" | "norm" | "unit" => SyntaxErrorKind::Method {
                function: name.to_owned(),
                vector,
            },
            _ => return None,
        };
        Some(kind.at(operand.span.to(self.peek().span)))
    }

    /// `token` begins an operand, but one has just ended.
    pub(super) fn side_by_side(&self, token: Token) -> SyntaxError {
        let before = self.earlier(1).expect("an operand has just ended");
        if let Some(error) = self.power_before_bracket(before) {
            return error;
        }
        let right = self.quote(token.span);
        let bracket = matches!(token.kind, TokenKind::Open(_));
        let kind = if self.is_function(before) && !bracket {
            SyntaxErrorKind::FunctionWithoutBracket {
                function: self.quote(before.span),
                argument: right,
            }
        } else {
            let operand = self.operands.last().expect("an operand has just ended");
            let left = self.quote(operand.span);
            SyntaxErrorKind::ImplicitProduct { left, right }
        };
        kind.at(before.span.to(token.span))
    }

    /// `sin^2(x)` and `sin^2 x`, read up to the `2`.
    fn power_before_bracket(&self, number: Token) -> Option<SyntaxError> {
        let (power, name) = (self.earlier(2)?, self.earlier(3)?);
        let is_power = power.kind == TokenKind::Operator(Operator::Pow);
        if !is_power || number.kind != TokenKind::Number || !self.is_function(name) {
            return None;
        }
        let kind = SyntaxErrorKind::PowerBeforeBracket {
            function: self.quote(name.span),
            exponent: self.quote(number.span),
        };
        Some(kind.at(name.span.to(number.span)))
    }

    /// Whether the token is the name of a function that a quantity seldom bears.
    fn is_function(&self, token: Token) -> bool {
        let text = token.span.of(self.text);
        let known = Function::from_name(text).is_some() || OTHER_FUNCTIONS.contains(&text);
        token.kind == TokenKind::Name && known
    }

    /// The innermost open bracket is never closed, since the text has ended.
    fn unclosed_innermost(&self) -> SyntaxError {
        let innermost = self.pending.iter().rev().find_map(|pending| match pending {
            Pending::Bracket(opened) => Some(*opened),
            _ => None,
        });
        unclosed(innermost.expect("an opening bracket or a comma leaves a bracket open"))
    }

    /// Whether the innermost open bracket is closed somewhere to the right, as far as can be seen.
    pub(super) fn is_closed_later(&self) -> bool {
        if self.lexical.is_some() {
            return true;
        }
        let mut inner = 0usize;
        for token in self.tokens.iter().skip(self.at) {
            match token.kind {
                TokenKind::Open(_) => inner += 1,
                TokenKind::Close(_) if inner == 0 => return true,
                TokenKind::Close(_) => inner -= 1,
                _ => {}
            }
        }
        false
    }

    /// `0.5` if the comma just read is that of `0,5`.
    pub(super) fn decimal_comma(&self) -> Option<String> {
        let (before, comma, after) = (self.earlier(1)?, self.earlier(0)?, self.peek());
        let joined = before.span.end == comma.span.start && comma.span.end == after.span.start;
        let numbers = before.kind == TokenKind::Number && after.kind == TokenKind::Number;
        let (whole, fraction) = (self.quote(before.span), self.quote(after.span));
        (joined && numbers).then(|| format!("{whole}.{fraction}"))
    }
}

/// The error of a bracket that is never closed.
pub(super) fn unclosed(opened: Opened) -> SyntaxError {
    let bracket = opened.form.bracket();
    let (opening, closing) = (bracket.opening(), bracket.closing());
    SyntaxErrorKind::UnclosedBracket { opening, closing }.at(opened.span)
}
