"""Why a league refuses a command."""

from datetime import datetime

from engine.errors import CommandRejected


class LeagueNotCreated(CommandRejected):
    """There is no such league yet."""

    code = "league_not_created"

    def __init__(self) -> None:
        super().__init__("the league does not exist")


class LeagueNameInvalid(CommandRejected):
    """The name is empty or too long."""

    code = "league_name_invalid"

    def __init__(self, *, length: int, length_max: int) -> None:
        super().__init__(
            f"a league's name has 1 to {length_max} characters, not {length}",
            length=length,
            length_max=length_max,
        )


class MemberUnknown(CommandRejected):
    """The player is not a member."""

    code = "member_unknown"

    def __init__(self) -> None:
        super().__init__("the player is not a member of this league")


class AlreadyMember(CommandRejected):
    """The player is a member, in another role than the one asked for."""

    code = "already_member"

    def __init__(self, *, role: str) -> None:
        super().__init__(f"the player already is a member, as {role}", role=role)


class LastOwner(CommandRejected):
    """A league always has an owner."""

    code = "last_owner"

    def __init__(self) -> None:
        super().__init__("the last owner of a league can neither leave nor step down")


class MemberPlaying(CommandRejected):
    """The player is in a running tournament of the league and would be missed at a table."""

    code = "member_playing"

    def __init__(self, *, tournaments: tuple[str, ...]) -> None:
        super().__init__(
            "the player is in a running tournament of this league: wait until they are out or it "
            "is over, or have somebody who does not play disqualify them",
            tournaments=list(tournaments),
        )


class InvitationUnknown(CommandRejected):
    """The invitation was never issued, was revoked, or has been used up."""

    code = "invitation_unknown"

    def __init__(self) -> None:
        super().__init__("the invitation does not exist or no longer holds")


class InvitationExpired(CommandRejected):
    """The invitation's time is over."""

    code = "invitation_expired"

    def __init__(self) -> None:
        super().__init__("the invitation has expired")


class InvitationInvalid(CommandRejected):
    """The invitation could never be used, or would give a league away."""

    code = "invitation_invalid"

    def __init__(self, *, problem: str) -> None:
        super().__init__(problem)


class PlayerBanned(CommandRejected):
    """The player is banned from this league."""

    code = "player_banned"

    def __init__(self, *, until: datetime | None) -> None:
        end = "for good" if until is None else f"until {until.isoformat()}"
        super().__init__(
            f"the player is banned {end}", until=None if until is None else until.isoformat()
        )


class OpeningInvalid(CommandRejected):
    """Sealed values are opened for a time, and not for long."""

    code = "opening_invalid"

    def __init__(self, *, hours_max: int) -> None:
        super().__init__(
            f"an opening ends in the future, after {hours_max} hours at most", hours_max=hours_max
        )


class StaffNotBannable(CommandRejected):
    """Who holds an office is not banned: an owner takes the office away first."""

    code = "staff_not_bannable"

    def __init__(self) -> None:
        super().__init__("the player holds an office in this league")


class BanInvalid(CommandRejected):
    """The ban would be over before it begins."""

    code = "ban_invalid"

    def __init__(self, *, problem: str) -> None:
        super().__init__(problem)


class TemplateUnknown(CommandRejected):
    """There is no such template in this league."""

    code = "template_unknown"

    def __init__(self) -> None:
        super().__init__("the league has no such template")


class TemplateChanged(CommandRejected):
    """Somebody else has changed the template since it was read."""

    code = "template_changed"

    def __init__(self, *, version: int) -> None:
        super().__init__(f"the template is at version {version} by now", version=version)


class TemplateNameTaken(CommandRejected):
    """Another template has this name."""

    code = "template_name_taken"

    def __init__(self) -> None:
        super().__init__("another template of this league has this name")


class TemplatesTooMany(CommandRejected):
    """The league has as many templates as one may have."""

    code = "templates_too_many"

    def __init__(self, *, templates_max: int) -> None:
        super().__init__(
            f"a league has {templates_max} templates at most", templates_max=templates_max
        )


class TemplateBodyTooLong(CommandRejected):
    """House rules and templates are announcements, and no announcement is as long."""

    code = "template_body_too_long"

    def __init__(self, *, length: int, length_max: int) -> None:
        super().__init__(
            f"the text has {length} characters, {length_max} at most are kept",
            length=length,
            length_max=length_max,
        )
